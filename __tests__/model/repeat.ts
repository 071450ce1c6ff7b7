/** Returns a function that returns the values in order and starts over after the last one; `otherwise` if there are none. */
export function repeat<T>(values: readonly T[], otherwise: T): () => T {
  let next = 0
  return () => values[next++ % values.length] ?? otherwise
}
