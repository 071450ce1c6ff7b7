import { expect, test } from '@jest/globals'
import { readActLog } from '../../../scripts/recipes/act-log.ts'

test('what came of a run is read from its log, and lines of plain text are passed over', () => {
  const output = { command: 'set-output', msg: '  ⚙  ::set-output::', stepID: ['a'], name: 'outcome' }
  const entries = [
    { ...output, jobID: 'docs', arg: 'failed' },
    { ...output, jobID: 'fleet', matrix: { z: 1, b: 'two' }, arg: 'skipped' },
    { jobID: 'docs', msg: '\u001b[32mHello\u001b[0m.\n', raw_output: true },
    { jobID: 'docs', msg: 'exit status 3', level: 'error' },
    { jobID: 'docs', msg: '  ⚙  Summary - ## One\n' },
    { jobID: 'docs', msg: '  ⚙  Summary - ## Two\n' },
    { jobID: 'docs', msg: 'something that act says of itself' },
    { jobID: 'docs', jobResult: 'success', msg: '🏁  Job succeeded' },
    { jobID: 'b', jobResult: 'failure', msg: '🏁  Job failed' },
  ]
  const log = [...entries.map((entry) => JSON.stringify(entry)), "Error: Job 'b' failed", 'null', ''].join('\n')
  expect(readActLog(log)).toEqual({
    jobs: ['docs: success', 'b: failure'],
    outputs: { 'docs.a.outcome': 'failed', 'fleet(two, 1).a.outcome': 'skipped' },
    summary: '## One\n## Two\n',
    printed: 'Hello.\nexit status 3\n',
  })
})
