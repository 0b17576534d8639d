/** What may stand before a document's first tag, and that tag's begin. */
const ahead = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\]\s*)?>|<(?=[a-z])/gi

/** A document's head from its first tag on, behind comments, instructions and its type; null where none begins. */
export const fromRoot = (head: string): string | null => {
  for (const { 0: it, index } of head.matchAll(ahead)) if (it === "<") return head.slice(index)
  return null
}
