/** A duration as people read a clock: `0:07`, `12:30`, `1:02:03`. Takes milliseconds, shows whole seconds passed. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const twoDigits = (count: number): string => String(count).padStart(2, '0')
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}` : `${minutes}:${twoDigits(rest)}`
}
