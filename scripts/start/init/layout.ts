import { includesPath, parsePathRules } from '../../../src/agent/path-filter.ts'
import { formatCount } from '../../../src/text/format.ts'

/** A decision about a line of the workflow. */
export interface Decision {
  readonly value: readonly string[]
  /** The end of a sentence. */
  readonly reason: string
}

/** What a repository consists of. */
export interface Layout {
  /** For `paths`. */
  readonly code: Decision
  /** For `allowed-paths`. Undefined: no folder of docs was found. */
  readonly docs: Decision | undefined
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|pyi|go|rs|java|kts?|scala|groovy|rb|php|cs|fs|swift|c|h|cc|cpp|hpp|mm?|exs?|erl|hs|cljs?|dart|lua|pl|pm|r|jl|zig|nim|sol|proto|graphql|tf)$/i
const PAGE = /\.(?:mdx?|rst|adoc|asciidoc|mdoc)$/i

/** Files that need no docs, as patterns of `paths`. */
const NOT_CODE = [
  ...['**/test/**', '**/tests/**', '**/__tests__/**', '**/testdata/**', '**/spec/**', '**/e2e/**', '**/benchmarks/**'],
  ...[
    '**/fixtures/**',
    '**/__fixtures__/**',
    '**/__mocks__/**',
    '**/*.test.*',
    '**/*.spec.*',
    '**/*_test.*',
    '**/*.Tests/**',
  ],
  ...['**/test_*.py', '**/conftest.py', '**/examples/**', '**/playground/**', '**/docs/**', '**/doc/**'],
  ...[
    '**/vendor/**',
    '**/third_party/**',
    '**/node_modules/**',
    '**/dist/**',
    '**/generated/**',
    '**/__generated__/**',
  ],
  ...['**/*.generated.*', '**/*.pb.go', '**/*_pb2.py', '**/*.min.js', '**/*.config.*'],
]

/** Folders whose code is for the project itself. */
const OWN_TOOLS = /^(?:\.|(?:scripts?|tools?|ci|build|website|site|bench(?:mark)?s?|hack|migrations?|typings)\/)/

const DOCS_FOLDERS = ['docs', 'doc', 'documentation', 'website', 'site', 'content', 'src/content']

/** A folder needs this share of the source files to be named. */
const MIN_SHARE = 0.03
const MAX_FOLDERS = 6

function countBy(paths: readonly string[], getKey: (path: string) => string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(getKey(path), (counts.get(getKey(path)) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** The pattern for the code of a folder at the root: `packages/*\/src/**` if its members have `src`. */
function toPattern(folder: string, sources: readonly string[]): string {
  const inside = sources.filter((path) => path.startsWith(`${folder}/`))
  const ofMembers = inside.filter((path) => path.split('/')[2] === 'src')
  const members = new Set(ofMembers.map((path) => path.split('/')[1]))
  return members.size > 1 && ofMembers.length * 2 > inside.length ? `${folder}/*/src/**` : `${folder}/**`
}

/** A character with a meaning in patterns, in the name of a folder. */
const escapePattern = (path: string): string => path.replace(/[*?+[\]!\\]/g, String.raw`\$&`)

function findCode(paths: readonly string[]): Decision | undefined {
  const excluding = NOT_CODE.map((pattern) => ({ pattern, rules: parsePathRules(pattern) }))
  const all = paths.filter((path) => SOURCE.test(path) && !OWN_TOOLS.test(path))
  const sources = all.filter((path) => !excluding.some(({ rules }) => includesPath(rules, path)))
  if (sources.length === 0) return undefined
  const folders = countBy(sources, (path) => (path.includes('/') ? (path.split('/')[0] ?? '') : ''))
  const large = folders.filter(([, count]) => count >= sources.length * MIN_SHARE)
  const ofSrc = sources.filter((path) => path.includes('/src/'))
  // Too many folders to list, which have the same structure.
  const isDeep = large.length > MAX_FOLDERS && ofSrc.length * 2 > sources.length
  const included = isDeep
    ? ['**/src/**']
    : large
        .slice(0, MAX_FOLDERS)
        .flatMap(([folder]) => (folder === '' ? listRootPatterns(sources) : toPattern(escapePattern(folder), sources)))
  const rules = parsePathRules(included.join('\n'))
  const covered = sources.filter((path) => includesPath(rules, path)).length
  const excluded = excluding.filter((one) =>
    all.some((path) => includesPath(one.rules, path) && includesPath(rules, path)),
  )
  return {
    value: [...included, ...excluded.map(({ pattern }) => `!${pattern}`)],
    reason: `${covered} of ${formatCount(sources.length, 'source file')}, without tests, examples and generated files`,
  }
}

/** Source files at the root, by their extensions. */
function listRootPatterns(sources: readonly string[]): readonly string[] {
  const atRoot = sources.filter((path) => !path.includes('/'))
  return countBy(atRoot, (path) => `*${/\.\w+$/.exec(path)?.[0] ?? ''}`).map(([pattern]) => pattern)
}

function findDocs(paths: readonly string[]): { readonly folder: string; readonly pages: number } | undefined {
  const pages = paths.filter((path) => PAGE.test(path))
  const found = DOCS_FOLDERS.map((name) => {
    const inFolder = pages.filter((path) => path.toLowerCase().startsWith(`${name}/`))
    // Such as `Docs`.
    return { folder: inFolder[0]?.slice(0, name.length) ?? name, pages: inFolder.length }
  })
  return found.find((one) => one.pages > 0)
}

const describePages = (pages: number): string => `${formatCount(pages, 'page')} in this folder`

/** Whether most of a repository is docs: its site has some code, too. */
const MIN_PAGES_PER_SOURCE = 2

/**
 * Finds where the code and the docs of a repository are.
 * @param paths of all tracked files
 */
export function findLayout(paths: readonly string[]): Layout {
  const docs = findDocs(paths)
  const code = findCode(paths)
  const pages = paths.filter((path) => PAGE.test(path)).length
  const sources = paths.filter((path) => SOURCE.test(path)).length
  const isDocsOnly = code === undefined || pages > sources * MIN_PAGES_PER_SOURCE
  const folder = docs === undefined ? undefined : `${docs.folder}/**`
  if (isDocsOnly)
    return {
      code: {
        value: [folder ?? '**/*.md'],
        reason: `this is a repository of docs (${formatCount(pages, 'page')}, ${formatCount(sources, 'source file')}), so the agent corrects the pages that changed pages make wrong; if your code is in other repositories, docs/choose.md has the recipe`,
      },
      docs: folder === undefined ? undefined : { value: [folder], reason: describePages(docs?.pages ?? 0) },
    }
  if (docs === undefined || folder === undefined) return { code, docs: undefined }
  const readme = paths.includes('README.md') ? ['README.md'] : []
  return { code, docs: { value: [folder, ...readme], reason: describePages(docs.pages) } }
}
