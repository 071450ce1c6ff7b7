import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@jest/globals'
import { sitePage } from '../../scripts/bench/visitors/paging-server.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { answering, expectExport, NODE_24, runVisitors } from '../support/visitors-bundle.ts'

const testWithLimits = process.platform === 'win32' ? test.skip : test

/** A Node.js that may write files of 32 KiB at most, which to a program is much like a disk that is full. */
function nodeWithSmallFiles(): string {
  const script = join(temporaryFolder(), 'node')
  writeFileSync(script, `#!/bin/bash\nulimit -f 32\nexec '${NODE_24}' "$@"\n`)
  chmodSync(script, 0o755)
  return script
}

testWithLimits('a disk that is full ends red and leaves nothing behind', async () => {
  const run = await runVisitors({
    service: answering((request) => ({ body: sitePage(10_000, request) })),
    inputs: { top: '0' },
    node: nodeWithSmallFiles(),
  })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ The export failed',
    says: ['The file could not be written (EFBIG).', 'No file was written.', 'Check the free space of the runner'],
    outputs: { human: '30000', ai: '9000', total: '35000' },
    offsets: Array.from(run.offsets, (_, index) => index * 250),
  })
})
