import { test } from '@jest/globals'
import { addAgentPull, createReleased, historyRow, mergeChange, playReport } from '../support/play-report.ts'
test('x', async () => {
  const docs = createReleased()
  for (const n of [1, 2, 3, 4]) mergeChange(docs, n)
  const p = await playReport(
    { 'fail-on': 'no-trace' },
    {
      docs,
      prepare: (state) => {
        addAgentPull(state, docs, 10, { rows: [historyRow(['#1', '#2'])], mergedDaysAgo: 10, laterCommits: ['mona'] })
        addAgentPull(state, docs, 11, { rows: [historyRow(['#3'])] })
      },
    },
  )
  console.log(p.summary, p.line, JSON.stringify(p.result, null, 1), p.operations.join(' '), p.log)
})
