/** The last lines of a log, after a line that says how many are left out where not all of them fit. */
export function newestLines(log: string, most: number): string {
  const lines = log.trimEnd().split(/\r?\n/)
  const leftOut = lines.length - most
  if (leftOut <= 0) return lines.join('\n')
  return [`(${leftOut} earlier lines are left out)`, ...lines.slice(-most)].join('\n')
}
