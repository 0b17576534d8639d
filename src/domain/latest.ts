/** Sets an entry of a map that remembers the latest ones: as the last, and the first goes where there are more than `max`. */
export const setLatest = <K, V>(map: Map<K, V>, key: K, value: V, max: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > max ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
