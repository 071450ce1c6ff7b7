import { expect, test } from '@jest/globals'
import { showLogLine, showResult } from '../../../scripts/start/report.ts'
import { paintNothing, paintWithColours } from '../../../scripts/start/terminal.ts'

type Result = Parameters<typeof showResult>[0]

const result: Result = {
  exitCode: 0,
  signal: null,
  conclusion: 'success',
  log: [],
  rawOutput: '',
  rawFiles: { GITHUB_OUTPUT: '', GITHUB_ENV: '', GITHUB_PATH: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
  outputs: {},
  summary: '',
  masks: [],
  annotations: [],
  commands: [],
  env: {},
  path: [],
  state: {},
  durationMs: 1234,
}

test('annotations are labelled and coloured', () => {
  expect(showLogLine({ kind: 'error', title: 'Bad key', text: 'one\ntwo' }, paintNothing)).toBe(
    'Error: Bad key: one\n       two\n',
  )
  expect(showLogLine({ kind: 'warning', text: 'x' }, paintWithColours)).toBe('\u001b[33mWarning: x\u001b[39m\n')
})

test('text is shown as it is, without what steers a terminal', () => {
  expect(showLogLine({ kind: 'text', text: 'a\u001b[2Jb' }, paintNothing)).toBe('ab\n')
})

test('outputs are a table, each on one line', () => {
  const text = showResult(
    { ...result, outputs: { status: 'completed', 'pr-link': '', long: `a\n${'b'.repeat(300)}` } },
    paintNothing,
  )

  expect(text).toContain(`status   completed\npr-link  (empty)\nlong     a↵${'b'.repeat(197)}…\n`)
})

test('the summary is rendered', () => {
  expect(showResult({ ...result, summary: '# Done\n<b>x</b>' }, paintNothing)).toContain('Done\n\nx\n')
})

test('the conclusion names the exit code or the signal', () => {
  expect(showResult(result, paintNothing)).toContain('✔ success, exit code 0, after 1 s')
  expect(showResult({ ...result, exitCode: null, signal: 'SIGKILL', conclusion: 'cancelled' }, paintNothing)).toContain(
    '■ cancelled, SIGKILL',
  )
})
