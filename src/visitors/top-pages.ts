/**
 * Puts a row where it belongs among those that weigh the most, ties by path.
 * @param kept in this order, and never more than `most`
 */
export function keepTop<Row extends { readonly path: string }>(
  kept: Row[],
  row: Row,
  most: number,
  weigh: (row: Row) => number,
): void {
  const isBefore = (other: Row): boolean => {
    const more = weigh(other) - weigh(row)
    return more > 0 || (more === 0 && other.path < row.path)
  }
  // From the end: most rows weigh too little to be kept.
  kept.splice(kept.findLastIndex(isBefore) + 1, 0, row)
  if (kept.length > most) kept.pop()
}
