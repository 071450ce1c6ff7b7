import { expect, test } from '@jest/globals'
import { runAction } from '../../../scripts/small-runner/run-action.ts'
import { createTemporaryAction } from '../../../testing/temporary-action.ts'

/** Windows has no signals that a program could catch from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

const READY = 'setInterval(() => {}, 1000); console.log("ready")\n'
const SHORT = { sigtermAfterMs: 150, killAfterMs: 150 }
const NEVER = { sigtermAfterMs: 60_000, killAfterMs: 60_000 }
const WRITE = "require('node:fs').appendFileSync(process.env.GITHUB_OUTPUT, 'outcome=cancelled\\n')"
const SAY_BOTH = `process.on('SIGINT', () => console.log('SIGINT'))
process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(1) })`

testWithSignals.each([
  [
    'leaves on SIGINT is cancelled, and what it wrote is read',
    `process.once('SIGINT', () => { ${WRITE}; process.exit(1) })`,
    NEVER,
    { exitCode: 1, outputs: { outcome: 'cancelled' } },
  ],
  ['ends with exit code 0 is no success', "process.once('SIGINT', () => process.exit(0))", NEVER, { exitCode: 0 }],
  [
    'stays on SIGINT gets SIGTERM, once each',
    SAY_BOTH,
    { ...NEVER, sigtermAfterMs: 500 },
    { log: [{ text: 'ready' }, { text: 'SIGINT' }, { text: 'SIGTERM' }] },
  ],
  [
    'stays on both is killed',
    "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {})",
    SHORT,
    { exitCode: null, signal: 'SIGKILL' },
  ],
])('an action that %s', async (_what, program, cancelTimes, wanted) => {
  const cancel = new AbortController()
  const result = await runAction({
    action: createTemporaryAction(`${program}\n${READY}`),
    cancel: cancel.signal,
    cancelTimes,
    onLine: ({ text }) => {
      if (text === 'ready') cancel.abort()
    },
  })
  expect(result).toMatchObject({ conclusion: 'cancelled', ...wanted })
})
