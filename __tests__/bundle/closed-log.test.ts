import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { startEmulator } from '../../src/emulator/server.ts'
import { root } from '../../testing/markdown-files.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

test('a step continues if its log is closed, and writes its outputs and summary', async () => {
  const folder = createTemporaryFolder()
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')]
  for (const file of [output, summary]) writeFileSync(file, '')
  const service = await startEmulator({ speed: 1_000 })
  try {
    const child = spawn(process.execPath, [join(root, 'dist/agent/index.js')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SystemRoot: process.env['SystemRoot'],
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_WORKSPACE: folder,
        'INPUT_BASE-URL': service.url,
        'INPUT_PROJECT-ID': service.projectId,
        'INPUT_API-KEY': service.apiKey,
        INPUT_PROMPT: 'Fix the guide.',
        'INPUT_POLL-INTERVAL-SECONDS': '0.1',
      },
    })
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  } finally {
    await service.close()
  }
  expect(readFileSync(output, 'utf8')).toContain('pull-request')
  expect(readFileSync(summary, 'utf8')).not.toBe('')
})
