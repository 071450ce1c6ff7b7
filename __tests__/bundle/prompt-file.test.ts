import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { expectStep } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

/** Larger than an input can be. */
const PROMPT = `\ufeff  Line one\r\n::error::two\n${'Grüße aus Köln. '.repeat(20_000)}\n`

test('a prompt from a file of the workspace reaches the service byte for byte', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'bundle-test-'))
  try {
    mkdirSync(join(workspace, 'prompts'))
    writeFileSync(join(workspace, 'prompts', 'guide.md'), PROMPT)

    const run = await runBundle({ workspace, inputs: { 'prompt-file': 'prompts/guide.md', wait: 'false' } })

    expectStep(run, {
      conclusion: 'success',
      verdict: '🚀 The agent is at work',
      says: ['This step does not wait for the result.'],
      outputs: { outcome: 'submitted', changed: '', status: 'active', 'job-id': 'job_000001', model: 'docs-writer-1' },
      requests: ['POST job'],
    })
    expect(run.prompts).toEqual([PROMPT])
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
})
