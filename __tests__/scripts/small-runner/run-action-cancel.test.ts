import { expect, test } from '@jest/globals'
import { runAction } from '../../../scripts/small-runner/run-action.ts'
import { temporaryAction } from '../../support/temporary-action.ts'

/** Windows has no signals that a program could catch from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const READY = 'setInterval(() => {}, 1000); console.log("ready")\n'
const SHORT = { sigtermAfterMs: 150, killAfterMs: 150 }
const NEVER = { sigtermAfterMs: 60_000, killAfterMs: 60_000 }

async function cancelWhenReady(
  source: string,
  cancelTimes: typeof SHORT,
): Promise<Awaited<ReturnType<typeof runAction>>> {
  const cancel = new AbortController()
  return runAction({
    action: temporaryAction(source + READY),
    cancel: cancel.signal,
    cancelTimes,
    onLine: ({ text }) => {
      if (text === 'ready') cancel.abort()
    },
  })
}

testWithSignals('an action that leaves on SIGINT is cancelled, and what it wrote is read', async () => {
  const result = await cancelWhenReady(
    `process.once('SIGINT', () => {
  require('node:fs').appendFileSync(process.env.GITHUB_OUTPUT, 'outcome=cancelled\\n')
  process.exit(1)
})\n`,
    NEVER,
  )

  expect(result).toMatchObject({ conclusion: 'cancelled', exitCode: 1, outputs: { outcome: 'cancelled' } })
})

testWithSignals('exit code 0 after a cancellation is not a success', async () => {
  const result = await cancelWhenReady("process.once('SIGINT', () => process.exit(0))\n", NEVER)

  expect(result).toMatchObject({ conclusion: 'cancelled', exitCode: 0 })
})

testWithSignals('an action that stays on SIGINT gets SIGTERM, once each', async () => {
  const result = await cancelWhenReady(
    `process.on('SIGINT', () => console.log('SIGINT'))
process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(1) })\n`,
    { sigtermAfterMs: 500, killAfterMs: 60_000 },
  )

  expect(result.log.map(({ text }) => text)).toEqual(['ready', 'SIGINT', 'SIGTERM'])
})

testWithSignals('an action that stays on both is killed', async () => {
  const result = await cancelWhenReady("process.on('SIGINT', () => {}); process.on('SIGTERM', () => {})\n", SHORT)

  expect(result).toMatchObject({ conclusion: 'cancelled', exitCode: null, signal: 'SIGKILL' })
})

test('a cancellation after the end changes nothing', async () => {
  const cancel = new AbortController()
  const result = await runAction({ action: temporaryAction(''), cancel: cancel.signal })
  cancel.abort()

  expect(result.conclusion).toBe('success')
})

test('a run that is cancelled before it starts ends as cancelled', async () => {
  const result = await runAction({ action: temporaryAction(READY), cancel: AbortSignal.abort(), cancelTimes: SHORT })

  expect(result.conclusion).toBe('cancelled')
})
