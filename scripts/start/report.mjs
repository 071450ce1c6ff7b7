import { markdownToTerminal } from './markdown-to-terminal.mjs'
import { alignColumns, cleanForTerminal } from './terminal.mjs'

/**
 * @typedef {import('./terminal.mjs').Paint} Paint
 * @typedef {import('./terminal.mjs').Style} Style
 * @typedef {import('../small-runner.mjs').LogLine} LogLine
 * @typedef {import('../small-runner.mjs').RunResult} RunResult
 */

const LABELS = /** @type {Partial<Record<LogLine['kind'], { label: string, style: Style }>>} */ ({
  error: { label: 'Error: ', style: 'red' },
  warning: { label: 'Warning: ', style: 'yellow' },
  notice: { label: 'Notice: ', style: 'blue' },
  debug: { label: 'Debug: ', style: 'dim' },
  group: { label: '▾ ', style: 'bold' },
})

const CONCLUSIONS = /** @type {Record<RunResult['conclusion'], { mark: string, style: Style }>} */ ({
  success: { mark: '✔', style: 'green' },
  failure: { mark: '✘', style: 'red' },
  cancelled: { mark: '■', style: 'yellow' },
})

const MAX_SHOWN_VALUE = 200

/**
 * @param {string} title
 * @param {Paint} paint
 * @returns {string}
 */
export function heading(title, paint) {
  return `\n${paint('bold', `── ${title} `)}${paint('dim', '─'.repeat(Math.max(0, 60 - title.length)))}\n`
}

/**
 * One line of the log, as the run's page shows it; its further lines, if any, stand under its text.
 *
 * @param {LogLine} line
 * @param {Paint} paint
 * @returns {string}
 */
export function showLogLine({ kind, text, title }, paint) {
  if (kind === 'endgroup') return ''
  const { label, style } = LABELS[kind] ?? { label: '', style: undefined }
  const [first = '', ...others] = cleanForTerminal(title ? `${title}: ${text}` : text).split('\n')
  const lines = [label + first, ...others.map((other) => ' '.repeat(label.length) + other)]
  return lines.map((shown) => `${style === undefined ? shown : paint(style, shown)}\n`).join('')
}

/**
 * @param {RunResult} result
 * @param {Paint} paint
 * @returns {string} outputs, job summary and conclusion
 */
export function showResult({ outputs, summary, conclusion, exitCode, signal, durationMs }, paint) {
  const rows = Object.entries(outputs).map(([name, value]) => [paint('bold', name), showValue(value, paint)])
  const outputText = rows.length > 0 ? alignColumns(rows).join('\n') : paint('dim', '(none)')
  const summaryText = markdownToTerminal(summary, paint) || paint('dim', '(none)')
  const { mark, style } = CONCLUSIONS[conclusion]
  const end = exitCode === null ? (signal ?? 'not started') : `exit code ${exitCode}`
  const verdict = paint(style, `${mark} ${conclusion}`)
  return [
    `${heading('Outputs', paint)}${outputText}\n`,
    `${heading('Job summary', paint)}${summaryText}\n`,
    `${heading('Conclusion', paint)}${verdict}, ${end}, after ${(durationMs / 1000).toFixed(1)} s\n`,
  ].join('')
}

/**
 * @param {string} value
 * @param {Paint} paint
 * @returns {string} on one line
 */
function showValue(value, paint) {
  if (value === '') return paint('dim', '(empty)')
  const line = Array.from(cleanForTerminal(value).replace(/\n/g, '↵'))
  return line.length > MAX_SHOWN_VALUE ? `${line.slice(0, MAX_SHOWN_VALUE).join('')}…` : line.join('')
}
