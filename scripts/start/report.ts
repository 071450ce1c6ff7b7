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

export const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token']
/** The embedded service's address is of no use to a reader. */
const HIDDEN_INPUTS: readonly string[] = [...SECRET_INPUTS, 'base-url']

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

export function showInputs(inputs: Readonly<Record<string, string>>): string {
  const shown = Object.entries(inputs).filter(([name]) => !HIDDEN_INPUTS.includes(name))
  return shown
    .map(
      ([name, value]) =>
        `  ${cleanForTerminal(name).padEnd(22)} ${cutText(cleanForTerminal(value.trim()).replaceAll('\n', '↵'), MAX_SHOWN_VALUE)}\n`,
    )
    .join('')
}

export function showHead(text: string): string {
  const lines = cleanForTerminal(text).split('\n', HEAD_LINES)
  return lines.map((line) => cutText(line, MAX_SHOWN_VALUE)).join('\n')
}

/** The step's own time if it has ended: the time of its process includes the start of Node.js, times the clock's speed. */
function getDurationMs({ outputs, exitCode, durationMs }: Omit<Result, 'summary'>): number {
  const { result = '' } = outputs
  if (exitCode === null || result === '') return durationMs
  const { duration_seconds: seconds } = JSON.parse(result) as { readonly duration_seconds?: number }
  return seconds === undefined ? durationMs : seconds * 1_000
}

export function showVerdict(result: Omit<Result, 'summary'>, paint: Paint): string {
  const { outputs, conclusion, exitCode, signal } = result
  const [mark, style] = CONCLUSIONS[conclusion]
  const end = exitCode === null ? (signal ?? 'not started') : `exit code ${exitCode}`
  const { outcome = '' } = outputs
  const shown = paint(style, `${mark} ${conclusion}${outcome === '' ? '' : `: ${outcome}`}`)
  return `${shown}, ${end}, after ${formatDuration(getDurationMs(result))}\n`
}

export const showSections = (sections: readonly (readonly [title: string, text: string])[], paint: Paint): string =>
  sections.map(([title, text]) => (text === '' ? '' : `${heading(title, paint)}${text}\n`)).join('')

/** Formats outputs and job summary as two sections. */
export function showOutputs({ outputs, summary }: Pick<Result, 'outputs' | 'summary'>, paint: Paint): string {
  const rows = Object.entries(outputs).map(([name, value]) => [paint('bold', name), showValue(value, paint)])
  const outputText = alignColumns(rows).join('\n') || paint('dim', '(none)')
  const summaryText = markdownToTerminal(summary, paint) || paint('dim', '(none)')
  return showSections(
    [
      ['Outputs', outputText],
      ['Job summary', summaryText],
    ],
    paint,
  )
}

/**
 * Formats a run's sections and its conclusion.
 * @param showsAll whether outputs and job summary come first
 * @param sections those without a text are not shown
 */
export function showResult(
  result: Result,
  paint: Paint,
  showsAll: boolean,
  sections: readonly (readonly [title: string, text: string])[] = [],
): string {
  const all = showsAll ? showOutputs(result, paint) : ''
  return `${all}${showSections(sections, paint)}${heading('Conclusion', paint)}${showVerdict(result, paint)}`
}

function showValue(value: string, paint: Paint): string {
  if (value === '') return paint('dim', '(empty)')
  const line = cleanForTerminal(value).replaceAll('\n', '↵')
  // A line of a terminal breaks at blanks, and JSON on one line has none.
  const isJson = /^[[{]/.test(line)
  return cutText(isJson ? line.replaceAll(/,(?=["{])/g, ', ') : line, MAX_SHOWN_VALUE)
}
