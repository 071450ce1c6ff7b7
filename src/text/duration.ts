/** A duration in words: `7 s`, `4 min 12 s`, `1 h 2 s`. Takes milliseconds, shows whole seconds passed. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = { h: Math.floor(seconds / 3_600), min: Math.floor(seconds / 60) % 60, s: seconds % 60 }
  const shown = Object.entries(parts).filter(([, count]) => count > 0)
  return shown.map(([unit, count]) => `${count} ${unit}`).join(' ') || '0 s'
}
