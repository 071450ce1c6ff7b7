/** A lower similarity is a coincidence. */
const MIN_SIMILARITY = 0.4

const listBigrams = (word: string): Set<string> => new Set(Array.from(word, (_, at) => word.slice(at, at + 2)))

/** The share of common bigrams, from 0 to 1 (the Sørensen–Dice coefficient). */
function getSimilarity(one: string, other: string): number {
  const [ones, others] = [listBigrams(one), listBigrams(other)]
  return (2 * [...ones].filter((pair) => others.has(pair)).length) / (ones.size + others.size)
}

/** A question with the most similar known word, after a blank; empty if none is similar. */
export function askForNearest(word: string, known: readonly string[]): string {
  const [nearest = ''] = known.toSorted((a, b) => getSimilarity(word, b) - getSimilarity(word, a))
  return getSimilarity(word, nearest) < MIN_SIMILARITY ? '' : ` Did you mean ${nearest}?`
}
