import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { setOwner, setPackageVersion } from '../../../scripts/release/versions.ts'
import { root } from '../../../testing/markdown-files.ts'

const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')
const parseVersions = (text: string): unknown => {
  const { version, packages } = JSON.parse(text) as {
    readonly version: string
    readonly packages?: Readonly<Record<string, { readonly version: string }>>
  }
  return packages === undefined ? version : [version, packages['']?.version, packages['node_modules/undici']?.version]
}

test('writes the next version of the package, and of none of its dependencies', () => {
  expect(parseVersions(setPackageVersion(read('package.json'), '9.8.7'))).toBe('9.8.7')
  const lock = read('package-lock.json')
  const [, , undici] = parseVersions(lock) as string[]
  expect(parseVersions(setPackageVersion(lock, '9.8.7'))).toEqual(['9.8.7', '9.8.7', undici])
  expect(() => setPackageVersion('{}', '9.8.7')).toThrow('no version')
})

test('names the owner of the action, and drops the marks that then say nothing', () => {
  // Not in one word, which the command would replace here as well.
  const placeholder = ['your', 'org'].join('-')
  const text = [
    '# Change: the lines that say CHANGE.',
    `uses: ${placeholder}/docs-agent-action/report@v1 # CHANGE: ${placeholder}, the owner of this action`,
    `uses: ${placeholder}/workflows/.github/workflows/docs.yml@main # CHANGE: ${placeholder}`,
    '',
  ]
  const [head, action, workflow] = text
  expect(setOwner(text.join('\n'), 'acme').split('\n')).toEqual([
    head,
    'uses: acme/docs-agent-action/report@v1',
    workflow,
    '',
  ])
  expect(setOwner(`${String(head)}\n${String(action)}\n`, 'acme')).toBe('uses: acme/docs-agent-action/report@v1\n')
  expect(setOwner(`/${placeholder}\\/docs-agent-action/`, 'acme')).toBe('/acme\\/docs-agent-action/')
})
