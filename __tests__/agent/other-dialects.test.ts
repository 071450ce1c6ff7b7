import { expect, test } from '@jest/globals'
import { includesPath, parsePathRules } from '../../src/agent/path-filter.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { playEvent } from '../../testing/compared-world.ts'
import { PUSH } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { playStep } from '../../testing/play-step.ts'

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
  ['src/** docs/**', 'a space, which is not a separator'],
  ['*.md docs/**', 'a space, which is not a separator'],
  ['src/** !src/vendor/**', 'a space, which is not a separator'],
  ['src/** // code', 'a space, which is not a separator'],
  ['src !src/vendor/**', 'a space, which is not a separator'],
  ['src/**;docs/**', 'a semicolon, which is not a separator'],
  ['! src/**', 'after its `!`'],
  ['!!src/**', 'after its `!`'],
  ['README.md;CHANGELOG.md', 'a semicolon, which is not a separator'],
  ['README.md CHANGELOG.md', 'a space, which is not a separator'],
  ['README.md docs', 'a space, which is not a separator'],
  ['docs src', 'a space, which is not a separator'],
  ['docs/api src/lib LICENSE', 'a space, which is not a separator'],
  ['README.md,CHANGELOG.md', 'a comma, which is not a separator'],
  ['docs,src', 'a comma, which is not a separator'],
  ['docs,README.md', 'a comma, which is not a separator'],
  ['src/**|docs/**', 'a `|`, which is not a separator'],
  ['README.md|LICENSE', 'a `|`, which is not a separator'],
  ['src/**.{ts}', 'an extension in brackets'],
  ['*.(ts)', 'an extension in brackets'],
  ['src\\**', 'a `\\` before a `*`'],
  ['src\\*.ts', 'a `\\` before a `*`'],
  ['src\\**\\*.ts', 'a `\\` before a `*`'],
  ['**\\*.ts', 'a `\\` before a `*`'],
  ['src/\\*.ts', 'a `\\` before a `*`'],
  ['^src/.*$', 'a regular expression'],
  ['src/.*\\.md', 'a regular expression'],
  ['../src/**', 'an empty segment, `.` or `..`'],
  ['src/../docs/**', 'an empty segment, `.` or `..`'],
  ['src//**', 'an empty segment, `.` or `..`'],
  ['.', 'write `**` for all files'],
  ['/src/**', 'begins with `/`'],
  ['src/', 'ends with `/`'],
])('rejects the pattern %s of another dialect, and names its line', (pattern, problem) => {
  for (const name of ['paths', 'allowed-paths']) expect(given(name, `**\n\n${pattern}`)).toThrow(problem)
  expect(given('paths', `**\n\n${pattern}`)).toThrow(/`paths` line 3 /)
})

test.each([
  ['docs/{id}.md', 'docs/{id}.md'],
  ['docs/\\{a\\,b}.md', 'docs/{a,b}.md'],
  ['app/(home)/**', 'app/(home)/page.tsx'],
  ['app/@modal/(.)photo/**', 'app/@modal/(.)photo/page.tsx'],
  ['!(home)/**', '(home)/page.tsx'],
  ['a/\\(x\\|y)/*', 'a/(x|y)/b'],
  ['docs/C#/**', 'docs/C#/a.md'],
  ['\\#notes#', '#notes#'],
  ['docs/release \\#1.md', 'docs/release #1.md'],
  ['-docs/**', '-docs/a.md'],
  ['*/My Guide/**', 'docs/My Guide/a.md'],
  ['docs/*\\ copy.md', 'docs/a copy.md'],
  ['docs/a\\;b.md', 'docs/a;b.md'],
  ['docs/my file.md', 'docs/my file.md'],
  ['docs/v1.0 notes.md', 'docs/v1.0 notes.md'],
  ['My Guide/**', 'My Guide/a.md'],
  ['docs\\ src', 'docs src'],
  ['docs/Source\\ Code/**', 'docs/Source Code/a.md'],
  ['Node.js\\ guide.md', 'Node.js guide.md'],
  ['Hello\\, world.md', 'Hello, world.md'],
  ['docs/a\\|b.md', 'docs/a|b.md'],
  ['docs/*.{id}.yml', 'docs/users.{id}.yml'],
  ['docs/*.\\{id}', 'docs/users.{id}'],
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
      ['timed-out, - failed', 'begins with `-` and a space'],
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

const advise = (pattern: string) =>
  `\`paths\` has \`${pattern}\`, which matches the folder of a changed file, but no file: write \`${pattern}/**\`.`
const ADVICE = advise('packages/*/src')

/** Runs a step for a push that changes these files. */
const playPush = (patterns: string, files: readonly string[]) =>
  playEvent({ paths: patterns }, ['push', PUSH], { files })

test.each([
  ['packages/*/src', ['packages/a/src/x.ts'], ADVICE],
  ['!docs\npackages/*/src', ['packages/a/src/x.ts', 'docs/a.md'], ADVICE],
  ['docs', ['docs/a.md'], 'write `docs/**`.'],
  ['**/deep', ['src/deep/y.ts'], 'write `**/deep/**`.'],
  ['.github', ['.github/workflows/ci.yml'], 'write `.github/**`.'],
  ['packages/*/v1.2', ['packages/a/v1.2/x.ts'], 'write `packages/*/v1.2/**`.'],
])('%j is an input error if it matches no file of %j, but a folder', async (patterns, paths, advice) => {
  const { report, acceptedPrompts } = await playPush(patterns, paths)
  expect([report.error?.code, acceptedPrompts]).toEqual(['invalid-input', []])
  expect(report.error?.message).toContain(advice)
})

test.each([
  ['packages/*/src', ['packages/a/lib/x.ts']],
  ['docs/*', ['docs/a/b.md']],
  ['*.md', ['x.md/a']],
  ['LICENSE', ['docs/a.md']],
  ['src/**\n!docs', ['docs/a.md']],
])('%j only skips the step if no file of %j matches', async (patterns, paths) => {
  const { skip, log } = await playPush(patterns, paths)
  expect(skip).toBe('No changed file matches `paths`.')
  expect(log.join('\n')).toContain('No file matches `paths`')
})

test.each([
  ['README.md\n!packages/*/src', ['packages/a/src/x.ts', 'README.md'], [advise('!packages/*/src')]],
  ['packages/*/src', ['packages/a/src/x.ts', 'packages/b/src'], []],
  ['README.md\ndocs', ['README.md', 'docs/a.md'], [advise('docs')]],
  ['src/**\nLICENSE', ['src/a.ts'], []],
])('%j only warns of a folder if a file of %j matches', async (patterns, paths, expected) => {
  const { skip, warnings } = await playPush(patterns, paths)
  expect([skip, warnings]).toEqual([undefined, expected])
})

test('only warns of a folder that is not excluded if no file matches', async () => {
  const { skip, warnings } = await playPush('lib/**\n!packages/*/src', ['packages/a/src/x.ts'])
  expect([skip, warnings]).toEqual(['No changed file matches `paths`.', [advise('!packages/*/src')]])
})

test('only warns of a folder if a file that GitHub does not list may match', async () => {
  const files = ['packages/a/src/x.ts', ...Array.from({ length: 299 }, (_, index) => `src/${index}.ts`)]
  const { skip, warnings } = await playPush('packages/*/src', files)
  expect([skip, warnings]).toEqual([undefined, [ADVICE]])
})

test('warns of a folder in allowed-paths when files are out of scope', async () => {
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'allowed-paths': '**/docs' })
  const { warnings } = await playStep({ inputs })
  expect(warnings.join('\n')).toContain('`allowed-paths` has')
})

test('is red if a folder in allowed-paths is not excluded, although its name is', async () => {
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, 'allowed-paths': '**\n!docs' })
  const { isGreen, outputs, hostCalls } = await playStep({ inputs })
  expect([isGreen, outputs['in-scope']]).toEqual([false, ''])
  expect(hostCalls.join('\n')).toContain('`allowed-paths` has `!docs`')
})
