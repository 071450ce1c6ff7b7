/**
 * @typedef {object} WorkflowRun what came of a run of a workflow
 * @property {string[]} jobs `name: success` or `name: failure`, in the order in which they ended
 * @property {Record<string, string>} outputs of the steps, as `job.step.output`; a job of a matrix is `job(value, value)`
 * @property {string} summary of all steps, one after the other
 * @property {string} text what the steps printed
 * @property {Record<string, string>} logs of each job, as GitHub's runner writes them
 */

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : ''
}

/**
 * @param {Record<string, unknown>} entry
 * @returns {string} the job's id, with the values of its matrix
 */
function jobOf({ jobID, matrix }) {
  const values = isObject(matrix) ? Object.entries(matrix) : []
  const sorted = values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => String(value))
  return sorted.length === 0 ? textOf(jobID) : `${textOf(jobID)}(${sorted.join(', ')})`
}

/**
 * @param {string} line
 * @returns {Record<string, unknown> | undefined}
 */
function parseLine(line) {
  try {
    /** @type {unknown} */
    const entry = JSON.parse(line)
    return isObject(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {Record<string, unknown>} entry
 * @returns {string} what the runner writes into the job's log
 */
function logLine({ raw_output, level, msg, time }) {
  const exitCode = level === 'error' ? /^exit status (\d+)$/.exec(textOf(msg))?.[1] : undefined
  if (exitCode !== undefined) return `${textOf(time)} ##[error]Process completed with exit code ${exitCode}.\n`
  return raw_output === true ? `${textOf(time)} ${textOf(msg).trimEnd()}\n` : ''
}

const SUMMARY = /^ *⚙ +Summary - /u

/**
 * Reads what act prints with `--json`: one object a line, and a last line of plain text where a job failed.
 *
 * @param {string} log
 * @returns {WorkflowRun}
 */
export function readActLog(log) {
  /** @type {WorkflowRun} */
  const run = { jobs: [], outputs: {}, summary: '', text: '', logs: {} }
  for (const line of log.split('\n')) {
    const entry = parseLine(line)
    if (entry === undefined) continue
    const message = textOf(entry['msg'])
    run.logs[jobOf(entry)] = (run.logs[jobOf(entry)] ?? '') + logLine(entry)
    const [step = ''] = Array.isArray(entry['stepID']) ? /** @type {unknown[]} */ (entry['stepID']) : []
    if (entry['command'] === 'set-output') {
      run.outputs[`${jobOf(entry)}.${textOf(step)}.${textOf(entry['name'])}`] = textOf(entry['arg'])
    } else if (SUMMARY.test(message)) {
      run.summary += message.replace(SUMMARY, '')
    } else if (entry['raw_output'] === true || entry['level'] === 'error' || textOf(entry['command']) === 'error') {
      run.text += message.endsWith('\n') ? message : `${message}\n`
    }
    if (entry['jobResult'] !== undefined) run.jobs.push(`${jobOf(entry)}: ${textOf(entry['jobResult'])}`)
  }
  return run
}
