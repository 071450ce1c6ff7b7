import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { PUSH } from '../support/fake-github.ts'
import { runWithGitHub } from '../support/github-run.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a step on a push, which asks GitHub too, never loads the undici that Node has in it', async () => {
  const file = join(temporaryFolder(), 'modules.json')
  const run = await runWithGitHub({
    inputs: {},
    eventName: 'push',
    event: PUSH,
    preload: `
      import { writeFileSync } from 'node:fs'
      process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.moduleLoadList)))
    `,
  })

  expect(run.conclusion).toBe('success')
  const modules = JSON.parse(readFileSync(file, 'utf8')) as string[]
  expect(modules).toContain('NativeModule net')
  expect(modules.filter((name) => name.includes('undici'))).toEqual([])
})
