import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runPackaged } from '../support/bundle-run.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

test('the packaged check writes the names and the matrix', async () => {
  const { exitCode, outputs } = await runPackaged('fleet/check', {
    inputs: { name: 'fleet', projects: '["docs-a", "docs-b"]', repository: 'acme/fleet' },
  })
  expect([exitCode, Object.keys(outputs), outputs['names']]).toEqual([0, ['names', 'matrix'], 'docs-a docs-b'])
  expect(JSON.parse(outputs['matrix'] ?? '')).toEqual(
    ['docs-a', 'docs-b'].map((project) => ({ project, owner: 'acme', repository: 'fleet' })),
  )
})

test('the packaged check is red and writes no matrix if an input is invalid', async () => {
  const { exitCode, outputs, rawOutput } = await runPackaged('fleet/check', {
    inputs: { name: 'fleet', projects: '[]' },
  })
  expect([exitCode, outputs]).toEqual([1, {}])
  expect(rawOutput).toContain('::error title=The inputs are invalid::')
  expect(rawOutput).toContain('Nothing was sent.')
})

test('the packaged table writes its summary and outputs, and is red if a project is red', async () => {
  const workspace = createTemporaryFolder()
  mkdirSync(join(workspace, 'fleet-results'))
  const result = { conclusion: 'success', outputs: { outcome: 'no-changes' }, 'check-run': '7' }
  writeFileSync(join(workspace, 'fleet-results/docs-a.2.json'), JSON.stringify(result))
  const inputs = { names: 'docs-a docs-b', attempt: '2' }
  const { exitCode, outputs, summary, rawOutput } = await runPackaged('fleet/table', { workspace, inputs })
  expect([exitCode, Object.keys(outputs)]).toEqual([1, ['results', 'green', 'red']])
  expect([outputs['green'], outputs['red']]).toEqual(['1', '1'])
  expect(summary).toMatch(
    /^## 1 of 2 projects succeeded\n[^]*✅ \| \[`docs-a`]\(https:\S+\/actions\/runs\/\d+\/job\/7\)/,
  )
  expect(rawOutput).toContain('::error title=1 of 2 projects failed::The table in the summary shows all of them.')
})
