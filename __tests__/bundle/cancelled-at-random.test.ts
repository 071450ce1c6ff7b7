import { expect, jest, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { createRandom } from '../../src/emulator/service/random.ts'
import { expectNoSecret, getVerdict } from '../../testing/bundle-expect.ts'
import { runBundle, type BundleRun } from '../../testing/bundle-run.ts'

/** Windows has no signals between processes. */
const HAS_SIGNALS = process.platform !== 'win32'

jest.setTimeout(300_000)

const SEED = 20_260_101
const RUNS = 10
const MAX_CONCURRENT_RUNS = 4
/** The approximate duration of a step after its first line. Some signals come after its end. */
const SPAN_MS = 2_000
/** The factor by which the step's clock is slower, so that a busy machine does not use up its 2 s. */
const SLOWDOWN = 5

const [PROMPT, FINISHED, RUNNING] = [{ prompt: 'Fix.' }, { 'job-id': 'job_finished' }, { 'job-id': 'job_running' }]
const TASKS = [PROMPT, { ...PROMPT, ...FINISHED }, RUNNING]

interface Moment {
  readonly inputs: { readonly prompt?: string; readonly 'job-id'?: string }
  /** The time from the step's first line to the signal, in milliseconds. */
  readonly afterMs: number
}

async function cancelAt({ inputs, afterMs }: Moment): Promise<BundleRun> {
  const cancel = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const run = await runBundle({
    preload: timesFaster(1 / SLOWDOWN),
    inputs,
    cancel: cancel.signal,
    // A step that takes longer than 2 s is killed, and then has no exit code.
    cancelTimes: { sigtermAfterMs: 2_000 * SLOWDOWN, killAfterMs: 0 },
    onLine: () => {
      timer ??= setTimeout(() => {
        cancel.abort()
      }, afterMs)
    },
  })
  clearTimeout(timer)
  return run
}

/** Checks what every cancelled step must do, whenever it is cancelled. */
function expectOrderlyEnd(run: BundleRun, { inputs }: Moment): void {
  const { outcome, 'job-id': jobId } = run.outputs
  const isDecided = outcome !== 'cancelled'
  const isFollowUp = inputs.prompt !== undefined && inputs['job-id'] !== undefined
  const verdict = isFollowUp ? 'Pull request may have changed' : 'Pull request opened'
  const errors = run.annotations.filter(({ level }) => level === 'error')
  const hasJob = inputs['job-id'] !== undefined || run.requests.some((request) => request.startsWith('GET '))

  expect({ signal: run.signal, exitCode: run.exitCode }).toEqual({ signal: null, exitCode: isDecided ? 0 : 1 })
  if (isDecided) expect(['pull-request', 'no-changes']).toContain(outcome)
  expect(errors.map(({ title }) => title)).toEqual(isDecided ? [] : ['Cancelled'])
  expect(getVerdict(run.summary)).toBe(isDecided ? `## ✅ ${verdict}` : '## 🛑 Cancelled')
  if (hasJob) expect(jobId).toMatch(/^job_\w+$/)
  expect(run.prompts.length).toBeLessThanOrEqual(1)
  expectNoSecret(run)
}

test('a run that is cancelled at any moment ends within 2 s, and writes its outputs and its summary', async () => {
  if (!HAS_SIGNALS) return
  // The moments depend on the seed only, although their precision depends on the machine.
  const random = createRandom(SEED)
  const left = Array.from({ length: RUNS }, (_, index): Moment => {
    return { inputs: TASKS[index % TASKS.length] ?? {}, afterMs: Math.floor(random() * SPAN_MS) }
  })
  const ends: string[] = []
  const work = async (): Promise<void> => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) {
      const run = await cancelAt(moment)
      try {
        expectOrderlyEnd(run, moment)
      } catch (error) {
        throw new Error(`${JSON.stringify(moment)}\n${run.rawOutput}\n${(error as Error).message}`, { cause: error })
      }
      ends.push(run.outputs['outcome'] ?? '')
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_RUNS }, work))

  expect(ends).toHaveLength(RUNS)
  // The test is void if all signals come after the end.
  expect(ends.filter((outcome) => outcome === 'cancelled').length).toBeGreaterThanOrEqual(RUNS / 4)
})
