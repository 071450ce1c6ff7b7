/** What came of a run of a workflow. */
export interface WorkflowRun {
  /** `name: success` or `name: failure`, in the order in which they ended. */
  readonly jobs: string[]
  /** Of the steps, as `job.step.output`; a job of a matrix is `job(value, value)`. */
  readonly outputs: Record<string, string>
  /** Of all steps, one after the other. */
  summary: string
  /** What the steps printed. */
  text: string
  /** Of each job, as GitHub's runner writes them. */
  readonly logs: Record<string, string>
}

type Entry = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Entry => typeof value === 'object' && value !== null
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The job's id, with the values of its matrix. */
function jobOf({ jobID, matrix }: Entry): string {
  const values = isObject(matrix) ? Object.entries(matrix) : []
  const sorted = values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => String(value))
  return sorted.length === 0 ? textOf(jobID) : `${textOf(jobID)}(${sorted.join(', ')})`
}

function parseLine(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

/** What the runner writes into the job's log. */
function logLine({ raw_output, level, msg, time }: Entry): string {
  const exitCode = level === 'error' ? /^exit status (\d+)$/.exec(textOf(msg))?.[1] : undefined
  if (exitCode !== undefined) return `${textOf(time)} ##[error]Process completed with exit code ${exitCode}.\n`
  return raw_output === true ? `${textOf(time)} ${textOf(msg).trimEnd()}\n` : ''
}

const SUMMARY = /^ *⚙ +Summary - /u

/** Reads what act prints with `--json`: one object a line, and a last line of plain text where a job failed. */
export function readActLog(log: string): WorkflowRun {
  const run: WorkflowRun = { jobs: [], outputs: {}, summary: '', text: '', logs: {} }
  for (const line of log.split('\n')) {
    const entry = parseLine(line)
    if (entry === undefined) continue
    const job = jobOf(entry)
    const message = textOf(entry['msg'])
    run.logs[job] = (run.logs[job] ?? '') + logLine(entry)
    if (entry['command'] === 'set-output') {
      const [step] = Array.isArray(entry['stepID']) ? (entry['stepID'] as unknown[]) : []
      run.outputs[`${job}.${textOf(step)}.${textOf(entry['name'])}`] = textOf(entry['arg'])
    } else if (SUMMARY.test(message)) {
      run.summary += message.replace(SUMMARY, '')
    } else if (entry['raw_output'] === true || entry['level'] === 'error' || textOf(entry['command']) === 'error') {
      run.text += message.endsWith('\n') ? message : `${message}\n`
    }
    if (entry['jobResult'] !== undefined) run.jobs.push(`${job}: ${textOf(entry['jobResult'])}`)
  }
  return run
}
