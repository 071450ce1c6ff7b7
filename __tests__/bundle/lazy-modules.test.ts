import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import ts from 'typescript'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { runWithGitHub } from '../../testing/bundle-github.ts'
import { runReport } from '../../testing/bundle-report.ts'
import { changeOnWire, encode } from '../../testing/change-on-wire.ts'
import { commentFacts } from '../../testing/comment-events.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const root = new URL('../../', import.meta.url)

/** The modules that `src/` loads with `import()`, types aside. */
function listLazyImports(): readonly string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments
      found.add(specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : 'not a string')
    }
    ts.forEachChild(node, visit)
  }
  for (const path of readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.ts'))
      visit(
        ts.createSourceFile(
          path,
          readFileSync(new URL(`src/${path.replaceAll('\\', '/')}`, root), 'utf8'),
          ts.ScriptTarget.Latest,
        ),
      )
  return [...found].sort()
}

const lazy = listLazyImports()
const builtIns = lazy.filter((name) => name.startsWith('node:'))
/** Everything that is no part of Node.js is in a file of its own in the bundle. */
const chunks = readdirSync(new URL('dist/agent/', root)).filter((name) => /^\d+\.index\.js$/.test(name))

/** Writes the URL of each module that a file of `dist/` loads. */
const recordLoads = (file: string): string => `
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      if (context.parentURL?.includes('/dist/')) appendFileSync(${JSON.stringify(file)}, resolved.url + '\\n')
      return resolved
    },
  })
`

const loaded = new Set<string>()

beforeAll(async () => {
  const file = join(createTemporaryFolder(), 'loaded.txt')
  const preload = recordLoads(file)
  const gzip = changeOnWire(encode(gzipSync, 'gzip'))
  const access = { label: 'docs-agent', 'on-open-pr': 'new' }
  const { payload: event } = commentFacts({ author: { login: MAINTAINER, id: 11, type: 'User' }, number: 1 })
  const runs = await Promise.all([
    runWithGitHub({ inputs: access, eventName: 'workflow_dispatch', event: {}, intermediary: gzip, preload }),
    runWithGitHub({
      inputs: { command: '/docs' },
      plays: 'open-pull-request',
      eventName: 'issue_comment',
      event,
      preload,
    }),
    runReport({}, preload),
  ])
  expect(runs.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success'])
  for (const url of readFileSync(file, 'utf8').trim().split('\n'))
    loaded.add(url.startsWith('node:') ? url : basename(url))
})

test.each(builtIns)('a packaged action has loaded %s lazily, and is green', (name) => {
  expect([...loaded]).toContain(name)
})

test.each(chunks)('a packaged action has loaded dist/agent/%s lazily, and is green', (name) => {
  expect([...loaded]).toContain(name)
})

test('every other module that is loaded lazily is in a file of its own', () => {
  expect(builtIns.length).toBeGreaterThan(0)
  expect(chunks).toHaveLength(lazy.length - builtIns.length)
})
