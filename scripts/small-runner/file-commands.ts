import { readFileSync, statSync } from 'node:fs'

/** The runner drops a job summary that is larger than this, whole, in bytes. */
export const MAX_SUMMARY_BYTES = 1024 * 1024
/** A job's outputs may be this large together; their size is reckoned in UTF-16, two bytes for each unit. */
export const MAX_OUTPUTS_BYTES = 1024 * 1024

export interface KeyValuePairs {
  /** In the order of the file. */
  readonly pairs: [name: string, value: string][]
  /** Why reading stopped; the pairs before that place count all the same, as they do for the runner. */
  readonly error?: string
}

/** Only Windows takes a return before the line feed as a part of the line end. */
function splitLines(text: string, platform: string): { text: string; end: string }[] {
  const pattern = platform === 'win32' ? /(.*?)(\r?\n|$)/gsu : /(.*?)(\n|$)/gsu
  return [...text.matchAll(pattern)].map(([, line = '', end = '']) => ({ text: line, end }))
}

/** Reads `name=value` and `name<<delimiter` as the runner does (its EnvFileKeyValuePairs). */
export function parseKeyValuePairs(text: string, platform: string = process.platform): KeyValuePairs {
  const lines = splitLines(text, platform)
  const pairs: [string, string][] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]?.text ?? ''
    if (line === '') continue
    const [, name, mark, rest] = /^(.*?)(=|<<)(.*)$/su.exec(line) ?? []
    if (name === undefined || mark === undefined || rest === undefined) {
      return { pairs, error: `Invalid format '${line}'` }
    }
    if (name === '') return { pairs, error: `Invalid format '${line}'. Name must not be empty` }
    if (mark === '=') {
      pairs.push([name, rest])
      continue
    }
    if (rest === '') return { pairs, error: `Invalid format '${line}'. Delimiter must not be empty` }
    const end = lines.findIndex((candidate, index) => index > at && candidate.text === rest)
    if (end < 0) return { pairs, error: `Invalid value. Matching delimiter not found '${rest}'` }
    const value = lines.slice(at + 1, end)
    pairs.push([name, value.map((part, index) => part.text + (index < value.length - 1 ? part.end : '')).join('')])
    at = end
  }
  return { pairs }
}

/** Reads GITHUB_PATH: one folder a line. */
export function parsePathLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '')
}

/** Their size in bytes, as the service reckons it. */
export function outputsSizeBytes(outputs: Readonly<Record<string, string>>): number {
  return Object.entries(outputs).reduce((size, [name, value]) => size + 2 * (name.length + value.length), 0)
}

/** A file that the step took away counts as empty. A byte order mark is not part of the text. */
export function readCommandFile(path: string): { readonly text: string; readonly sizeBytes: number } {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return { text: '', sizeBytes: 0 }
  const bytes = readFileSync(path)
  return { text: new TextDecoder().decode(bytes), sizeBytes: bytes.length }
}
