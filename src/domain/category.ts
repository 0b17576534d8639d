/**
 * A category as the map of categories knows it, however a person or a site spelt it: nobody who states "Politics" means one
 * that is on no list.
 * @example categoryNamed(" Breaking News") // => "breaking_news"
 */
export const categoryNamed = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")
