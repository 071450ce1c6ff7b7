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

/** Throws from nowhere as soon as there is half a file. */
const DEFECT = `
  import { readdirSync } from 'node:fs'
  const look = () => readdirSync(process.env.GITHUB_WORKSPACE).some((name) => name.endsWith('.part'))
  setInterval(() => { if (look()) throw new Error('a defect') }, 5)
`

test('a defect that ends the process leaves no half file behind either', async () => {
  const run = await runVisitors({
    service: answering(() => new Promise(() => undefined)),
    inputs: {},
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECT)}` },
  })

  expect(run).toMatchObject({ conclusion: 'failure', signal: null })
  expect(run.files).toEqual({})
})
