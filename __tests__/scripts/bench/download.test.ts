import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { DOWNLOAD_LIMIT_MB, measurePackedMb } from '../../../scripts/bench/download.ts'
import { root } from '../../../testing/markdown-files.ts'

/** The paths that `.gitattributes` keeps out of the archive. */
function leftOut(...paths: string[]): string[] {
  const found = execFileSync('git', ['check-attr', 'export-ignore', '--', ...paths], { cwd: root, encoding: 'utf8' })
  return Array.from(found.matchAll(/^(.+): export-ignore: set$/gm), ([, path = '']) => path)
}

test('what a runner downloads stays below the limit', () => {
  expect(measurePackedMb()).toBeLessThan(DOWNLOAD_LIMIT_MB)
})

test('a runner downloads the actions and the documentation, and nothing else', () => {
  const forUsers = ['action.yml', 'visitors', 'emulator', 'dist', 'docs', 'package.json', 'README.md', 'LICENSE']
  const forDevelopers = [
    '.ci',
    '__tests__',
    'dist/start',
    'docs/assets',
    'package-lock.json',
    'scripts',
    'src',
    'testing',
  ]
  expect(leftOut(...forUsers, ...forDevelopers)).toEqual(forDevelopers)
})
