import { expect, test } from '@jest/globals'
import { readActLog } from '../../../scripts/recipes/act-log.ts'

const lines = (...entries: readonly (object | string)[]): string =>
  entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).join('\n')

test('outputs are named by job and step, and a job of a matrix by its values too', () => {
  const command = { command: 'set-output', msg: '  ⚙  ::set-output::' }
  const log = lines(
    { ...command, jobID: 'docs', stepID: ['a'], name: 'outcome', arg: 'failed' },
    { ...command, jobID: 'fleet', matrix: { z: 1, b: 'two' }, stepID: ['a'], name: 'outcome', arg: 'skipped' },
  )
  expect(readActLog(log).outputs).toEqual({ 'docs.a.outcome': 'failed', 'fleet(two, 1).a.outcome': 'skipped' })
})

test('the log of a job is as GitHub’s runner writes it, with the end of a step that failed', () => {
  const line = { jobID: 'links', time: '2026-01-01T00:00:00Z' }
  const log = lines(
    { ...line, msg: 'docs/index.md: 1 link is broken\r\n', raw_output: true },
    { ...line, jobID: 'build', msg: 'Built.\n', raw_output: true },
    { ...line, msg: 'exit status 3', level: 'error' },
  )
  expect(readActLog(log).logs).toEqual({
    links:
      '2026-01-01T00:00:00Z docs/index.md: 1 link is broken\n2026-01-01T00:00:00Z ##[error]Process completed with exit code 3.\n',
    build: '2026-01-01T00:00:00Z Built.\n',
  })
})

test('the results of the jobs, the summary and what was printed are kept, and lines of plain text are passed over', () => {
  const run = readActLog(
    lines(
      { jobID: 'a', msg: 'Hello.\n', raw_output: true, time: '2026-01-01T00:00:00Z' },
      { jobID: 'a', msg: '  ⚙  Summary - ## One\n' },
      { jobID: 'a', msg: '  ⚙  Summary - ## Two\n' },
      { jobID: 'a', msg: 'something that act says of itself' },
      { jobID: 'a', jobResult: 'success', msg: '🏁  Job succeeded' },
      { jobID: 'b', jobResult: 'failure', msg: '🏁  Job failed' },
      "Error: Job 'b' failed",
      'null',
      '',
    ),
  )
  expect(run).toEqual({
    jobs: ['a: success', 'b: failure'],
    outputs: {},
    summary: '## One\n## Two\n',
    text: 'Hello.\n',
    logs: { a: '2026-01-01T00:00:00Z Hello.\n', b: '' },
  })
})
