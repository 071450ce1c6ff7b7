import { expect, test } from '@jest/globals'
import { includesPath, parsePathRules, warnOfFolders } from '../../src/agent/path-filter.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { fakeRunner } from '../support/fake-runner.ts'
import { agentInputs, fakeStep } from '../support/fake-step.ts'
import { playChange } from '../support/play-change.ts'
import { playStep } from '../support/play-step.ts'

const given = (name: string, text: string) => () =>
  agentInputs({}, { 'github-token': 'ghs_token', 'allowed-paths': 'docs/**', [name]: text })

test.each([
  ['src/**/*.{ts,tsx}', 'a list in braces'],
  ['{src,docs}/**', 'a list in braces'],
  ['src/{a,{b,c}}/*', 'a list in braces'],
  ['src/v{1..3}/**', 'a list in braces'],
  ['!src/**/*.{ts,tsx}', 'a list in braces'],
  ['src/**/*.@(ts|tsx)', 'a group in parentheses'],
  ['src/**/*.ts?(x)', 'a group in parentheses'],
  ['src/+(a)/**', 'a group in parentheses'],
  ['src/*(a|b)/**', 'a group in parentheses'],
  ['src/!(a)/**', 'a group in parentheses'],
  ['!(a|b)/**', 'a group in parentheses'],
  ['src/(a|b)/**', 'a group in parentheses'],
  ['src/**  # code', 'a comment'],
  ['src/**\t# code', 'a comment'],
  ['# code', 'a comment'],
  ['#src/**', 'a comment'],
  ['- src/**', 'begins with `-` and a space'],
  ['- "!src/**"', 'begins with `-` and a space'],
  ['!- src/**', 'begins with `-` and a space'],
  ['"src/**"', 'quotes'],
  ["'src/**", 'quotes'],
  ['!"src/**"', 'quotes'],
  ['"!src/**"', 'quotes'],
  ['“src/**”', 'quotes'],
  ['* src/**', 'begins with `*` and a space'],
  ['• src/**', 'begins with `•` and a space'],
  ['src/** docs/**', 'a space before another pattern'],
  ['*.md docs/**', 'a space before another pattern'],
  ['src/** !src/vendor/**', 'a space before another pattern'],
  ['src/** // code', 'a space before another pattern'],
  ['src/**;docs/**', 'a semicolon before another pattern'],
  ['! src/**', 'after its `!`'],
  ['!!src/**', 'after its `!`'],
  ['^src/.*$', 'a regular expression'],
  ['src/.*\\.md', 'a regular expression'],
  ['../src/**', 'an empty segment, `.` or `..`'],
  ['src/../docs/**', 'an empty segment, `.` or `..`'],
  ['src//**', 'an empty segment, `.` or `..`'],
  ['/src/**', 'begins with `/`'],
  ['src/', 'ends with `/`'],
])('rejects the pattern %s of another dialect, and names its line', (pattern, problem) => {
  for (const name of ['paths', 'allowed-paths']) expect(given(name, `**\n\n${pattern}`)).toThrow(problem)
  expect(given('paths', `**\n\n${pattern}`)).toThrow(/`paths` line 3 /)
})

test.each([
  ['docs/{id}.md', 'docs/{id}.md'],
  ['docs/\\{a,b}.md', 'docs/{a,b}.md'],
  ['app/(home)/**', 'app/(home)/page.tsx'],
  ['app/@modal/(.)photo/**', 'app/@modal/(.)photo/page.tsx'],
  ['!(home)/**', '(home)/page.tsx'],
  ['a/\\(x|y)/*', 'a/(x|y)/b'],
  ['docs/C#/**', 'docs/C#/a.md'],
  ['\\#notes#', '#notes#'],
  ['docs/release \\#1.md', 'docs/release #1.md'],
  ['-docs/**', '-docs/a.md'],
  ['*/My Guide/**', 'docs/My Guide/a.md'],
  ['docs/*\\ copy.md', 'docs/a copy.md'],
  ['docs/a;b.md', 'docs/a;b.md'],
  ['.*', '.env'],
  ['docs/.*/**', 'docs/.vitepress/config.ts'],
  ['docs/a...b', 'docs/a...b'],
  ["it's/**", "it's/a.md"],
  ['\\"a"', '"a"'],
])('accepts %s, which is also a name', (pattern, path) => {
  const rules = parsePathRules(`**\n${pattern}`)
  expect(rules[1]?.matches(path)).toBe(true)
  expect(includesPath(rules, path)).toBe(!pattern.startsWith('!'))
})

test.each(['skip-labels', 'reviewers', 'fail-on'])(
  'rejects the syntax of YAML and Markdown in %s, and names the line',
  (name) => {
    for (const [text, problem] of [
      ['- failed', 'begins with `-` and a space'],
      ['"failed"', 'quotes'],
      ["'failed'", 'quotes'],
      ['“failed”', 'quotes'],
      ['• failed', 'begins with `•` and a space'],
      ['failed # x', 'a comment'],
      ['# failed', 'a comment'],
      ['timeout, - failed', 'begins with `-` and a space'],
    ] as const)
      expect(given(name, `\n${text}`)).toThrow(
        expect.objectContaining({ message: expect.stringMatching(`\`${name}\` line 2 .*${problem}`) }),
      )
    expect(given(name, '- failed')).toThrow('remove both')
  },
)

test.each(['area: C#', 'priority #1', 'no-docs', "won't fix"])('accepts the label %s', (label) => {
  expect(given('skip-labels', label)().skipLabels).toEqual([label])
})

const change = (path: string) => ({
  path,
  status: 'modified',
  previousPath: undefined,
  patch: undefined,
  additions: 1,
  deletions: 0,
})

const ADVICE =
  '`paths` has `packages/*/src`, which matches the folder of a changed file, but no file. Write `packages/*/src/**`.'

test.each([
  ['packages/*/src', ['packages/a/src/x.ts', 'README.md'], [ADVICE]],
  ['README.md\n!packages/*/src', ['packages/a/src/x.ts', 'README.md'], [ADVICE]],
  ['packages/*/src', ['packages/a/lib/x.ts'], []],
  ['packages/*/src', ['packages/a/src/x.ts', 'packages/b/src'], []],
  ['docs/*', ['docs/a/b.md'], []],
  ['*.md', ['x.md/a'], []],
])('warns that %j matches only a folder of %j', async (patterns, paths, expected) => {
  const warnings: string[] = []
  const runner = { ...fakeRunner(), warn: (text: string) => warnings.push(text) }
  await warnOfFolders('paths', parsePathRules(patterns), paths.map(change), fakeStep({ runner }))
  expect(warnings).toEqual(expected)
})

test('does not repeat the warning about a pattern that is only a name', async () => {
  const warnings: string[] = []
  const runner = { ...fakeRunner(), warn: (text: string) => warnings.push(text) }
  const sentences = await warnOfFolders('paths', parsePathRules('docs'), [change('docs/a.md')], fakeStep({ runner }))
  expect(sentences).toEqual([
    '`paths` has `docs`, which matches the folder of a changed file, but no file. Write `docs/**`.',
  ])
  expect(warnings).toEqual([])
})

test('names the folder in the reason of a skipped step', async () => {
  const compare = () =>
    Promise.resolve({
      relation: 'ahead' as const,
      mergeBase: 'a'.repeat(40),
      commits: [],
      totalCommits: 1,
      files: [change('packages/a/src/x.ts')],
      fileList: 'complete' as const,
    })
  const push = { ref: 'refs/heads/main', before: 'a'.repeat(40), after: 'b'.repeat(40) }
  const { skip } = await playChange({ paths: 'packages/*/src' }, ['push', push], { compare })
  expect(skip).toBe(`No changed file matches \`paths\`. ${ADVICE}`)
})

test('warns of a folder in allowed-paths when files are out of scope', async () => {
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'allowed-paths': '**/docs' })
  const { warnings } = await playStep({ inputs })
  expect(warnings.join('\n')).toContain('`allowed-paths` has')
})
