import { expect, test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { answering, expectExport, runVisitors } from '../support/visitors-bundle.ts'

/** Windows has no signals that a program could get from another one. */
const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('a run that is cancelled in the middle leaves no file behind', async () => {
  const cancel = new AbortController()
  const run = await runVisitors({
    service: answering((request) => {
      if (request.nth < 3) return { body: sitePage(10_000, request) }
      cancel.abort()
      return new Promise(() => undefined)
    }),
    inputs: { 'output-file': 'new/folder/visitors.csv' },
    cancel: cancel.signal,
  })

  expectExport(run, {
    conclusion: 'cancelled',
    verdict: '🛑 Cancelled',
    says: ['The run was cancelled, so no file was written.'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: [0, 250, 500],
  })
})

testWithSignals('a second signal leaves no half file behind either', async () => {
  const cancel = new AbortController()
  const run = await runVisitors({
    service: answering((request) => {
      if (request.nth < 3) return { body: sitePage(10_000, request) }
      cancel.abort()
      return new Promise(() => undefined)
    }),
    inputs: { 'output-file': 'visitors.csv' },
    cancel: cancel.signal,
    cancelTimes: { sigtermAfterMs: 0, killAfterMs: 60_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1, signal: null })
  expect(run.files).toEqual({})
})
