import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const dist = new URL('../../../dist/', import.meta.url)

function read(path: string): string {
  return readFileSync(new URL(path, dist), 'utf8')
}

/** The packages whose licences stand in the file, with their versions. */
function packagesIn(bundle: string): string[] {
  return [...read(`${bundle}/licenses.txt`).matchAll(/^(\S+) (\S+) \(.+\)\n=+$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  )
}

test.each(readdirSync(dist))('dist/%s carries the text of every licence that it names', (bundle) => {
  const notices = read(`${bundle}/licenses.txt`)
    .split(/^\S+ \S+ \(.+\)\n=+\n/m)
    .slice(1)
  expect(notices.length).toBeGreaterThan(0)
  for (const notice of notices) expect(notice).toMatch(/permission|license/i)
})

test('the licences of all chunks of a bundle are there', () => {
  const names = packagesIn('agent').map((name) => name.replace(/@[^@]+$/, ''))
  expect(names).toEqual(expect.arrayContaining(['@actions/core', '@actions/github', '@octokit/core', 'undici', 'zod']))
})

test('the bundle holds one copy of undici, the one that @actions/core brings', () => {
  const { version } = JSON.parse(readFileSync(new URL('../node_modules/undici/package.json', dist), 'utf8')) as {
    version: string
  }
  expect(packagesIn('agent').filter((name) => name.startsWith('undici@'))).toEqual([`undici@${version}`])
})

test('no bundle but its own and that of npm start contains the emulator', () => {
  const mark = 'docs_emulator_'
  expect(read('emulator/index.js')).toContain(mark)
  for (const bundle of readdirSync(dist).filter((name) => name !== 'emulator' && name !== 'start')) {
    for (const file of readdirSync(new URL(bundle, dist)))
      expect([file, read(`${bundle}/${file}`).includes(mark)]).toEqual([file, false])
  }
})
