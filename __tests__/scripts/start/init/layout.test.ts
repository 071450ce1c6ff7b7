import { describe, expect, test } from '@jest/globals'
import { findLayout } from '../../../../scripts/start/init/layout.ts'

const number = (count: number, toPath: (at: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => toPath(at))

describe('the code of', () => {
  test('a single package is in its folder, without the tests that are in it', () => {
    const paths = ['README.md', 'src/a.ts', 'src/b.ts', 'src/a.test.ts', 'scripts/build.ts', 'eslint.config.js']
    expect(findLayout(paths).code.value).toEqual(['src/**', '!**/*.test.*'])
  })

  test('a monorepo is in the `src` of its packages', () => {
    const paths = number(6, (at) => `packages/p${at % 3}/src/${at}.ts`)
    expect(findLayout([...paths, 'packages/p0/build.ts', 'packages/p0/docs/a.md']).code.value).toEqual([
      'packages/*/src/**',
    ])
  })

  test('packages in many folders is in every `src`', () => {
    expect(findLayout(number(40, (at) => `area${at % 10}/p${at % 2}/src/${at}.ts`)).code.value).toEqual(['**/src/**'])
  })

  test('a Go module is in its folders, without generated files', () => {
    const paths = ['cmd/main.go', 'pkg/a.go', 'pkg/a_test.go', 'pkg/api.pb.go', 'internal/b.go']
    expect(findLayout(paths).code.value).toEqual(['cmd/**', 'pkg/**', 'internal/**', '!**/*_test.*', '!**/*.pb.go'])
  })

  test('a .NET solution is in its projects, without those of tests', () => {
    const { code } = findLayout(['Acme/A.cs', 'Acme/B.cs', 'Acme.Tests/ATest.cs'])
    expect(code.value).toEqual(['Acme/**'])
  })

  test('a module at the root is in files, and not in all folders', () => {
    expect(findLayout(['index.js', 'cli.js', 'test/index.js', 'README.md']).code.value).toEqual(['*.js'])
  })

  test('a folder with few source files is not named', () => {
    expect(findLayout([...number(99, (at) => `src/${at}.py`), 'extra/one.py']).code.value).toEqual(['src/**'])
  })

  test('a repository of docs is its pages', () => {
    const paths = [...number(30, (at) => `src/content/docs/${at}.mdx`), 'src/site.ts', 'astro.config.mjs']
    const { code, docs } = findLayout(paths)
    expect([code.value, docs?.value]).toEqual([['src/content/**'], ['src/content/**']])
    expect(code.reason).toContain('this is a repository of docs (30 pages, 2 source files)')
  })
})

describe('the docs', () => {
  test('are the folder with pages, and the README', () => {
    const { docs } = findLayout(['src/a.ts', 'src/b.ts', 'docs/a.md', 'docs/logo.svg', 'README.md'])
    expect(docs?.value).toEqual(['docs/**', 'README.md'])
  })

  test('are found whatever the case of the folder', () => {
    expect(findLayout(['Source/A.cs', 'Source/B.cs', 'Docs/a.md']).docs?.value).toEqual(['Docs/**'])
  })

  test('are left out without a folder of pages', () => {
    expect(findLayout(['src/a.ts', 'docs/CNAME', 'README.md']).docs).toBeUndefined()
  })
})
