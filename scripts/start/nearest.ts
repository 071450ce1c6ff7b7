/** Less than this much in common is a coincidence. */
const LEAST_ALIKE = 0.4

const pairsOf = (word: string): Set<string> => new Set(Array.from(word, (_, at) => word.slice(at, at + 2)))

/** From 0 to 1: how many of the pairs of letters two words share. */
function likeness(one: string, other: string): number {
  const [ones, others] = [pairsOf(one), pairsOf(other)]
  return (2 * [...ones].filter((pair) => others.has(pair)).length) / (ones.size + others.size)
}

/** A question that names the word that was probably meant, after a blank; empty if none comes near. */
export function askForNearest(word: string, known: readonly string[]): string {
  const [nearest = ''] = known.toSorted((a, b) => likeness(word, b) - likeness(word, a))
  return likeness(word, nearest) < LEAST_ALIKE ? '' : ` Did you mean ${nearest}?`
}
