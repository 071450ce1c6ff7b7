const UNITS = [
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A duration in words: `7 s`, `4 min 12 s`, `1 h 2 s`. Takes milliseconds, shows whole seconds passed. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1000))
  const parts: string[] = []
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds)
    left -= count * seconds
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ') || '0 s'
}
