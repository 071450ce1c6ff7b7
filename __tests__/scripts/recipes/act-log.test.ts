import { expect, test } from '@jest/globals'
import { readActLog } from '../../../scripts/recipes/act-log.mjs'

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

test('the results of the jobs, the summary and what was printed are kept, and lines of plain text are passed over', () => {
  const run = readActLog(
    lines(
      { jobID: 'a', msg: 'Hello.\n', raw_output: true },
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
  })
})
