import { formatDuration } from '../../src/text/format.ts'
import { cutText } from '../../src/text/untrusted.ts'
import type { RunResult } from '../small-runner/run-action.ts'
import type { LogLine } from '../small-runner/step-log.ts'
import { markdownToTerminal } from './markdown-to-terminal.ts'
import { alignColumns, cleanForTerminal, type Paint, type Style } from './terminal.ts'

type Label = readonly [label: string, style: Style]

const LABELS: Readonly<Partial<Record<LogLine['kind'], Label>>> = {
  error: ['Error: ', 'red'],
  warning: ['Warning: ', 'yellow'],
  notice: ['Notice: ', 'blue'],
  debug: ['Debug: ', 'dim'],
  group: ['▾ ', 'bold'],
}

const CONCLUSIONS: Readonly<Record<RunResult['conclusion'], Label>> = {
  success: ['✔', 'green'],
  failure: ['✘', 'red'],
  cancelled: ['■', 'yellow'],
}

export type Result = Pick<RunResult, 'outputs' | 'summary' | 'conclusion' | 'exitCode' | 'signal' | 'durationMs'>

const MAX_SHOWN_VALUE = 200
const HEADING_COLUMNS = 60
const HEAD_LINES = 8

export function heading(title: string, paint: Paint): string {
  const start = `── ${cleanForTerminal(title)} `
  return `\n${paint('bold', start)}${paint('dim', '─'.repeat(Math.max(0, HEADING_COLUMNS - start.length)))}\n`
}

/** Formats a log line as the page of a run shows it, with further lines indented. */
export function showLogLine({ kind, text, title }: LogLine, paint: Paint): string {
  if (kind === 'endgroup') return ''
  const [label, style] = LABELS[kind] ?? ['', undefined]
  const [first = '', ...others] = cleanForTerminal(title ? `${title}: ${text}` : text).split('\n')
  const lines = [label + first, ...others.map((other) => ' '.repeat(label.length) + other)]
  return lines.map((shown) => `${style === undefined ? shown : paint(style, shown)}\n`).join('')
}

export function showHead(text: string): string {
  const lines = cleanForTerminal(text).split('\n', HEAD_LINES)
  return lines.map((line) => cutText(line, MAX_SHOWN_VALUE)).join('\n')
}

/**
 * Formats outputs, job summary, other sections and the conclusion.
 * @param others sections; those without a text are not shown
 */
export function showResult(
  { outputs, summary, conclusion, exitCode, signal, durationMs }: Result,
  paint: Paint,
  others: readonly (readonly [title: string, text: string])[] = [],
): string {
  const rows = Object.entries(outputs).map(([name, value]) => [paint('bold', name), showValue(value, paint)])
  const outputText = alignColumns(rows).join('\n') || paint('dim', '(none)')
  const summaryText = markdownToTerminal(summary, paint) || paint('dim', '(none)')
  const [mark, style] = CONCLUSIONS[conclusion]
  const end = exitCode === null ? (signal ?? 'not started') : `exit code ${exitCode}`
  const { outcome = '' } = outputs
  const verdict = paint(style, `${mark} ${conclusion}${outcome === '' ? '' : `: ${outcome}`}`)
  return [
    `${heading('Outputs', paint)}${outputText}\n`,
    `${heading('Job summary', paint)}${summaryText}\n`,
    ...others.map(([title, text]) => (text === '' ? '' : `${heading(title, paint)}${text}\n`)),
    `${heading('Conclusion', paint)}${verdict}, ${end}, after ${formatDuration(durationMs)}\n`,
  ].join('')
}

function showValue(value: string, paint: Paint): string {
  if (value === '') return paint('dim', '(empty)')
  const line = cleanForTerminal(value).replaceAll('\n', '↵')
  // A line of a terminal breaks at blanks, and JSON on one line has none.
  const isJson = /^[[{]/.test(line)
  return cutText(isJson ? line.replaceAll(/,(?=["{])/g, ', ') : line, MAX_SHOWN_VALUE)
}
