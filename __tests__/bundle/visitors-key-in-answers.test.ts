import { expect, test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { EMULATOR_KEY } from '../../src/emulator/access.ts'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a key that comes back in a path gets into no file, no output and no summary', async () => {
  const row = { path: `/search?key=${EMULATOR_KEY}`, human: 1, ai: 0, total: 1 }
  const run = await runVisitors({
    service: answering((request) => ({ body: { ...sitePage(0, request), visitors: [row] } })),
  })

  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: {
      human: '30000',
      ai: '9000',
      total: '35000',
      rows: '1',
      file: 'visitors.csv',
      complete: 'true',
      'top-pages': '[{"path":"/search?key=***","human":1,"ai":0,"total":1}]',
    },
    offsets: [0],
  })
  expect(run.files['visitors.csv']).toContain('/search?key=***,1,0,1')
})
