/** The result of a workflow run. */
export interface WorkflowRun {
  /** `name: success` or `name: failure`, in the order of their ends. */
  readonly jobs: string[]
  /** The outputs of steps, as `job.step.output`. A job of a matrix is `job(value, value)`. */
  readonly outputs: Record<string, string>
  summary: string
  printed: string
}

type Entry = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Entry => typeof value === 'object' && value !== null
const getText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Formats a job's id with the values of its matrix. */
function formatJobName({ jobID, matrix }: Entry): string {
  const values = isObject(matrix) ? Object.entries(matrix) : []
  const sorted = values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => String(value))
  return sorted.length === 0 ? getText(jobID) : `${getText(jobID)}(${sorted.join(', ')})`
}

function parseLine(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

const SUMMARY = /^ *⚙ +Summary - /u

/** Parses the output of act with `--json`: one object per line, and a last line of plain text if a job failed. */
export function readActLog(log: string): WorkflowRun {
  const run: WorkflowRun = { jobs: [], outputs: {}, summary: '', printed: '' }
  for (const line of log.split('\n')) {
    const entry = parseLine(line)
    if (entry === undefined) continue
    const { msg, command, name, arg, stepID, raw_output: isOutput, level, jobResult } = entry
    const message = getText(msg)
    if (command === 'set-output') {
      const [step] = Array.isArray(stepID) ? (stepID as unknown[]) : []
      run.outputs[`${formatJobName(entry)}.${getText(step)}.${getText(name)}`] = getText(arg)
    } else if (SUMMARY.test(message)) {
      run.summary += message.replace(SUMMARY, '')
    } else if (isOutput === true || level === 'error' || command === 'error' || command === 'notice') {
      run.printed += `${message.replace(/\n$/, '').replaceAll(/\u001b\[\d+m/g, '')}\n`
    }
    if (jobResult !== undefined) run.jobs.push(`${formatJobName(entry)}: ${getText(jobResult)}`)
  }
  return run
}
