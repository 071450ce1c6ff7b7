import { field, jobIdInput, parseFields, SERVICE_FIELDS } from '../../src/action/inputs.ts'
import { createClient } from '../../src/docs-service/client.ts'
import { createTransport } from '../../src/docs-service/transport.ts'
import { STATUS_PHRASES } from '../../src/docs-service/interface.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ActionError, describeError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { joinSentences } from '../../src/text/format.ts'

const TIMEOUT_MS = 60_000
/** A 404 for this id shows at least that the service responds. */
const MADE_UP_ID = 'job_that_is_not_there'

/** The result for one endpoint; a dash if the response is inconclusive. */
interface CheckResult {
  readonly mark: '✔' | '✘' | '–'
  readonly text: string
}

const NOT_TRIED: CheckResult = {
  mark: '–',
  text: 'Create a job, send a message: not tried, as that would start the agent.',
}

async function tryRead(what: string, isMadeUp: boolean, read: () => Promise<string>): Promise<CheckResult> {
  try {
    return { mark: '✔', text: `${what}: ${await read()}` }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    if (error.code === 'not-found' && isMadeUp)
      return { mark: '–', text: `${what}: a made-up one is not found. Name one of yours with --job-id.` }
    return { mark: '✘', text: joinSentences([`${what}: ${describeError(error)}`, error.hint]) }
  }
}

/**
 * Reads a job and one page of visitors. Sends no prompt.
 * @param inputs the inputs that name the service
 * @param givenJobId the job to read; empty if the user named none
 * @throws ActionError `invalid-input` that names every problem
 */
export async function checkService(
  inputs: Readonly<Record<string, string>>,
  givenJobId: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly CheckResult[]> {
  const fields = { ...SERVICE_FIELDS, jobId: field('job-id', '', jobIdInput) }
  const { projectId, apiKey, baseUrl, jobId } = parseFields(fields, { ...inputs, 'job-id': givenJobId }, '.')
  const quiet = (): void => undefined
  const transport = createTransport({
    baseUrl,
    apiKey,
    env,
    clock: systemClock,
    mask: quiet,
    debug: quiet,
  })
  const client = createClient({
    projectId,
    jobId,
    transport,
    deadlineAt: systemClock.now() + TIMEOUT_MS,
    clock: systemClock,
    signal: new AbortController().signal,
    random: Math.random,
    debug: quiet,
    redact: createRedactor([apiKey]),
  })

  return [
    await tryRead('Read a job', jobId === undefined, async () => {
      const { id, status } = await client.getJob(jobId ?? MADE_UP_ID)
      return `${id} ${STATUS_PHRASES[status]}.`
    }),
    await tryRead('Read a page of visitors', false, async () => {
      const { totals, visitors } = await client.getVisitors({})
      return `${totals.total} visitors in all, ${visitors.length} pages listed.`
    }),
    NOT_TRIED,
  ]
}
