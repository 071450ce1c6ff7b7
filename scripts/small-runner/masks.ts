/**
 * Replaces every masked value with `***`, as the runner's SecretMasker does: adjacent or overlapping values become one `***`.
 * Unlike the runner it masks no encoded values (base64, URL, JSON), so that tests see more than a log would show.
 */
export function maskSecrets(text: string, masks: Iterable<string>): string {
  const hits: { start: number; end: number }[] = []
  for (const mask of masks) {
    if (mask === '') continue
    for (let at = text.indexOf(mask); at >= 0; at = text.indexOf(mask, at + 1)) {
      hits.push({ start: at, end: at + mask.length })
    }
  }
  hits.sort((a, b) => a.start - b.start)

  let masked = ''
  let coveredUpTo = -1
  for (const { start, end } of hits) {
    if (start > coveredUpTo) masked += `${text.slice(Math.max(coveredUpTo, 0), start)}***`
    coveredUpTo = Math.max(coveredUpTo, end)
  }
  return masked + text.slice(Math.max(coveredUpTo, 0))
}

/** The texts that the runner masks for one `add-mask`: the value and each of its lines, because logs are masked line by line. */
export function listMasks(value: string): string[] {
  const lines = value.split(/[\r\n]/).map((line) => line.trim())
  return [...new Set([value, ...lines])].filter((mask) => mask !== '')
}
