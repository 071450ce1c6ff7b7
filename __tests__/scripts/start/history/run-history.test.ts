import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { openClone, readPushes } from '../../../../scripts/start/history/clone.ts'
import { createDetailedCompare } from '../../../../scripts/start/history/compare-pushes.ts'
import type { Figures } from '../../../../scripts/start/history/figures.ts'
import {
  createRepository,
  drawMonth,
  DEPENDABOT,
  RENOVATE,
  type GeneratedPush,
  git,
  WEB_FLOW,
} from '../../../../testing/generated-repository.ts'
import { root } from '../../../../testing/markdown-files.ts'
import { startIn80Columns, startInTerminal } from '../../../../testing/start-in-terminal.ts'
import { createTemporaryFolder } from '../../../../testing/temporary-folder.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A Monday, long ago, so that the days end with the newest commit. */
const START_MS = Date.parse('2026-01-05T00:00:30Z')

const readRecipe = (name: string): string => readFileSync(`${root}docs/recipes/${name}`, 'utf8')

/** Pushes at these hours after the start, each with the files that it changes. */
const pushAt = (hours: readonly number[], path = 'src/a.ts'): GeneratedPush[] =>
  hours.map((hour) => ({ atMs: START_MS + hour * HOUR_MS, files: { [path]: `// ${hour}\n` } }))

const FIRST: GeneratedPush = { atMs: START_MS - 40 * DAY_MS, files: { 'src/a.ts': '//\n', 'docs/index.md': '#\n' } }

/** Plays a history through a workflow. */
async function count(
  pushes: readonly GeneratedPush[],
  workflow: string,
  ...flags: readonly string[]
): Promise<{ readonly figures: Figures; readonly folder: string; readonly args: readonly string[] }> {
  const folder = createTemporaryFolder()
  createRepository(join(folder, 'code'), [FIRST, ...pushes])
  writeFileSync(join(folder, 'docs.yml'), workflow)
  const args = ['--workflow', 'docs.yml', '--history', 'code', ...flags]
  const { stdout, stderr, exitCode } = await startInTerminal([...args, '--json'], { folder })
  expect([stderr, exitCode]).toEqual(['', 0])
  return { figures: JSON.parse(stdout) as Figures, folder, args }
}

/** The same, also as a screen. */
async function play(
  pushes: readonly GeneratedPush[],
  workflow = readRecipe('on-push.yml'),
  ...flags: readonly string[]
) {
  const { figures, folder, args } = await count(pushes, workflow, ...flags)
  const { stdout } = await startIn80Columns(args, folder)
  return { figures, folder, text: stdout.replaceAll(/\s+/g, ' ') }
}

interface LoggedPush {
  readonly atMs: number
  readonly isOfCode: boolean
  readonly isByBot: boolean
  readonly skipsCi: boolean
}

/** Reads the pushes of the last 30 days from `git log`, without any code of this project. */
function readLog(folder: string): readonly LoggedPush[] {
  const since = Number(git(folder, 'log', '-1', '--format=%ct')) - 30 * 86_400
  const log = ['log', '--first-parent', '-m', '--reverse', '--name-only', `--since=@${since}`]
  return git(folder, ...log, '--format=%x01%ct %ae %s%x02')
    .split('\x01')
    .slice(1)
    .map((text) => {
      const [head = '', files = ''] = text.split('\x02')
      return {
        atMs: parseInt(head) * 1_000,
        isOfCode: files.includes('\nsrc/'),
        isByBot: head.includes('[bot]'),
        skipsCi: head.includes('[skip ci]'),
      }
    })
}

describe.each([1, 2, 3, 4])('a month that was drawn (%i)', (seed) => {
  const pushes = drawMonth(seed, START_MS, 24 * 60)

  test('has the counts of git log on push', async () => {
    const { folder, figures } = await count(pushes, readRecipe('on-push.yml'), '--merged-after', '0m')
    const logged = readLog(join(folder, 'code'))
    const started = logged.filter(({ isOfCode, skipsCi }) => isOfCode && !skipsCi)
    // A bot's push is sent if the range since the last run has the work of a person too.
    let isAnyPerson = false
    let skipped = 0
    for (const push of logged) {
      isAnyPerson ||= !push.isByBot
      if (!push.isOfCode || push.skipsCi) continue
      if (!isAnyPerson) skipped++
      isAnyPerson = false
    }
    const prompts = started.length - skipped
    expect(skipped).toBeGreaterThan(0)
    expect(figures).toMatchObject({
      days: 30,
      pushes: logged.length,
      not_started: logged.length - started.length,
      skipped,
      prompts,
      red: 0,
      first_red: null,
      cost: null,
    })
  })

  test('has the counts of git log on a schedule', async () => {
    const { folder, figures } = await count(
      pushes,
      readRecipe('on-schedule.yml'),
      '--merged-after',
      '1m',
      '--price',
      '1.8',
    )
    const logged = readLog(join(folder, 'code'))
    const untilMs = logged.at(-1)?.atMs ?? 0
    const minutes = Array.from(
      { length: 30 * 24 * 60 },
      (_, minute) => untilMs - (untilMs % 60_000) - minute * 60_000,
    ).reverse()
    const nights = minutes.filter((atMs) => {
      const date = new Date(atMs)
      return date.toISOString().includes('T03:23:') && ![0, 6].includes(date.getUTCDay())
    })
    const prompts = nights.filter((night, at) =>
      logged.some(({ atMs, isOfCode }) => isOfCode && atMs <= night && atMs > (nights[at - 1] ?? 0)),
    ).length
    expect(nights.length).toBeGreaterThan(18)
    expect(figures).toMatchObject({
      pushes: logged.length,
      not_started: 0,
      skipped: nights.length - prompts,
      prompts,
      follow_ups: 0,
      pull_requests: prompts,
      cost: Math.round(prompts * 180) / 100,
      alternative: { event: 'push' },
    })
  })
})

describe('a rolling pull request', () => {
  const hourly = pushAt(Array.from({ length: 30 }, (_, hour) => hour))

  test('that nobody merges makes every run red after 20 follow-ups', async () => {
    const { figures, text } = await play(hourly, readRecipe('on-push.yml'), '--merged-after', 'never', '--price', '2')
    const counts = { prompts: 21, follow_ups: 20, pull_requests: 1, red: 9, first_red: '2026-01-05', cost: 42 }
    expect(figures).toMatchObject(counts)
    expect(text).toContain('9 × red: An open pull request has reached the limit of 20 follow-ups.')
  })

  test('that is merged after half a day is followed by another one', async () => {
    const { figures } = await play(hourly, readRecipe('on-push.yml'), '--merged-after', '12h')
    expect(figures).toMatchObject({ prompts: 30, pull_requests: 3, follow_ups: 27, red: 0 })
  })

  test('has the limit of the workflow', async () => {
    const workflow = readRecipe('on-push.yml').replace(
      'on-open-pr: follow-up',
      'on-open-pr: follow-up\n          max-follow-ups: 3',
    )
    const { figures } = await play(hourly, workflow, '--merged-after', 'never')
    expect(figures).toMatchObject({ prompts: 4, red: 26 })
  })

  test('is not opened by a prompt that changes nothing', async () => {
    const { figures } = await play(hourly, readRecipe('on-push.yml'), '--no-changes', '100')
    expect(figures).toMatchObject({ prompts: 30, follow_ups: 0, pull_requests: 0 })
  })
})

describe('pushes while the agent works', () => {
  const burst = pushAt([0, 0.05, 0.1, 0.12, 3])

  test('wait in the concurrency group, which keeps only the newest one', async () => {
    const { figures, text } = await play(burst)
    expect(figures).toMatchObject({ pushes: 5 + 0, not_started: 2, prompts: 3, follow_ups: 2 })
    expect(text).toContain('a newer run took its place in the `concurrency` group')
  })

  test('all wait with `queue: max`', async () => {
    const { figures } = await play(burst, readRecipe('on-push.yml').replace('cancel-in-progress: false', 'queue: max'))
    expect(figures).toMatchObject({ not_started: 0, prompts: 5 })
  })

  test('open further pull requests without a concurrency group', async () => {
    const { figures } = await play(burst, readRecipe('on-push.yml').replace(/^concurrency:\n(?: .*\n)+/m, ''))
    expect(figures).toMatchObject({ prompts: 5, pull_requests: 4, follow_ups: 1 })
  })
})

describe('a workflow with a mistake', () => {
  test('in `paths` of the trigger shows the pattern that matches no file', async () => {
    const { figures, text } = await play(
      pushAt([1, 2]),
      readRecipe('on-push.yml').replace("['src/**']", "['source/**']"),
    )
    expect(figures).toMatchObject({ not_started: 2, prompts: 0 })
    expect(text).toContain(
      '✘ `source/**` in on.push.paths (line 12) matches no file of the repository. ✘ No push starts',
    )
    expect(text).toContain(
      '2 × no run: `on.push.paths` (line 12) matches none of the changed files, mostly in `src` (2).',
    )
  })

  test('in the input `paths` shows it too', async () => {
    const { figures, text } = await play(pushAt([1, 2]), readRecipe('on-push.yml').replace(': src/**', ': source/**'))
    expect(figures).toMatchObject({ skipped: 2, prompts: 0 })
    expect(text).toMatch(/✘ `source\/\*\*` in the input paths \(line \d+\) matches no file/)
  })

  test('in the name of the branch shows the line', async () => {
    const { figures, text } = await play(pushAt([1]), readRecipe('on-push.yml').replace('[main]', '[master]'))
    expect(figures).toMatchObject({ not_started: 1, prompts: 0 })
    expect(text).toContain('`on.push.branches` (line 10) leaves out the branch main')
  })

  test('in an input makes each run red with the error of the action', async () => {
    const { figures, text } = await play(
      pushAt([1]),
      readRecipe('on-push.yml').replace('on-open-pr: follow-up', 'on-open-pr: never'),
    )
    expect(figures).toMatchObject({ red: 1, first_red: '2026-01-05' })
    expect(text).toContain('`on-open-pr` must be')
  })
})

test('a push by Dependabot is no base, because its run has no secrets', async () => {
  const byBot = (author: string) =>
    pushAt([1, 2, 3, 4]).map((push, at) => (at === 1 || at === 2 ? { ...push, author, committer: WEB_FLOW } : push))
  const docs: GeneratedPush = { atMs: START_MS + 1.5 * HOUR_MS, files: { 'docs/index.md': 'Person\n' } }
  const insert = (pushes: readonly GeneratedPush[]) => [...pushes, docs].sort((one, other) => one.atMs - other.atMs)
  expect((await play(insert(byBot(RENOVATE)))).figures).toMatchObject({ prompts: 3, skipped: 1 })
  expect((await play(insert(byBot(DEPENDABOT)))).figures).toMatchObject({ prompts: 4, skipped: 0 })
})

test.each(['github-actions@github.com', 'action@github.com', '41898282+github-actions[bot]@users.noreply.github.com'])(
  'a commit of a workflow by %s is the work of a bot',
  async (mail) => {
    const author = `github-actions <${mail}>`
    const pushes = pushAt([1, 2]).map((push, at) => (at === 1 ? { ...push, author, committer: author } : push))
    expect((await play(pushes)).figures).toMatchObject({ prompts: 1, skipped: 1 })
  },
)

test('a variable that pauses the agent starts no run, and names the `if`', async () => {
  const { figures, text } = await play(pushAt([1]), readRecipe('on-push.yml'), '--var', 'DOCS_AGENT_PAUSED=true')
  expect(figures).toMatchObject({ not_started: 1, prompts: 0 })
  expect(text).toContain('the `if` of the job docs (line 37) is false')
})

test('a schedule is in its time zone', async () => {
  const cron = "cron: '0 13 * * *'\n      timezone: Asia/Tokyo\n"
  const { figures } = await play(pushAt([1, 17]), readRecipe('on-schedule.yml').replace(/cron: .*\n/, cron))
  expect(figures).toMatchObject({ prompts: 1 })
})

test('a condition reads the name of the repository and its owner', async () => {
  const repository = 'github.event.repository'
  const condition = `if: ${repository}.name == 'code' && ${repository}.owner.login == 'acme'\n        uses: your-org`
  const { figures } = await play(pushAt([1]), readRecipe('on-push.yml').replace('uses: your-org', condition))
  expect(figures).toMatchObject({ skipped: 0, prompts: 1 })
})

test('the condition of a step reads the real commit message', async () => {
  const condition = 'if: "!contains(github.event.head_commit.message, \'typo\')"\n        uses: your-org'
  const pushes = pushAt([1, 2, 3]).map((push, at) => ({ ...push, message: at === 1 ? 'Fix a typo' : 'Change it' }))
  const { figures } = await play(pushes, readRecipe('on-push.yml').replace('uses: your-org', condition))
  expect(figures).toMatchObject({ skipped: 1, prompts: 2 })
})

test('the largest prompts are measured with their hunks, and say what does not fit', async () => {
  const large = Array.from({ length: 400 }, (_, at) => `const value${at} = '${'x'.repeat(200)}'\n`).join('')
  const pushes = [
    ...pushAt([1]),
    { atMs: START_MS + 5 * HOUR_MS, files: { 'src/large.ts': large, 'src/small.ts': '//\n' } },
  ]
  const { text } = await play(pushes, readRecipe('on-push.yml').replace('context: files', 'context: diff'))
  expect(text).toMatch(/• 63\.7 KiB on 2026-01-05: 1 commit, 2 files; left out: 1 complete or partial diff\./)
})

test('--md prints a table to paste, with both triggers', async () => {
  const folder = createTemporaryFolder()
  createRepository(join(folder, 'code'), [FIRST, ...pushAt([1, 30])])
  writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
  const { stdout } = await startIn80ColumnsAsIs(folder, '--md', '--price', '1.5')
  expect(stdout).toContain('### docs.yml on the 30 days before the newest commit, 2026-01-06 of acme/code, branch main')
  expect(stdout).toContain(
    '| | on push | on schedule instead |\n| --- | ---: | ---: |\n| Pushes to the default branch | 2 | 2 |',
  )
  expect(stdout).toContain('| Cost at 1.50 a prompt | 3.00 | 1.50 |')
})

const startIn80ColumnsAsIs = (folder: string, ...flags: readonly string[]) =>
  startInTerminal(['--workflow', 'docs.yml', '--history', 'code', ...flags], { folder, columns: 80 })

describe('a clone', () => {
  test('is read at `origin/HEAD`, whatever is checked out', async () => {
    const folder = createTemporaryFolder()
    createRepository(join(folder, 'origin'), [FIRST, ...pushAt([1, 2, 3])], 'trunk')
    git(folder, 'clone', '--quiet', 'origin', 'code')
    git(join(folder, 'code'), 'switch', '--quiet', '--create', 'topic', 'HEAD~2')
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml').replace('[main]', '[trunk]'))
    const { stdout } = await startIn80ColumnsAsIs(folder, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ pushes: 3, prompts: 3 })
  })

  test('without `origin/HEAD` is read at `main`, or an error with the command that adds it', async () => {
    const folder = createTemporaryFolder()
    const code = join(folder, 'code')
    createRepository(code, [FIRST, ...pushAt([1, 2, 3])])
    git(code, 'remote', 'add', 'origin', 'https://github.com/acme/code.git')
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    expect(JSON.parse((await startIn80ColumnsAsIs(folder, '--json')).stdout)).toMatchObject({ pushes: 3 })
    git(code, 'switch', '--quiet', '--create', 'add-docs-agent')
    const { stderr, exitCode } = await startIn80ColumnsAsIs(folder)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/default branch[^]*add-docs-agent[^]*\n {2}git -C \S+ remote set-head origin --auto\n/)
  })

  test('that Git refuses to read is an error with the command that allows it', async () => {
    const folder = createTemporaryFolder()
    mkdirSync(join(folder, 'code/.git'), { recursive: true })
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    const { stderr } = await startIn80ColumnsAsIs(folder)
    expect(stderr).toMatch(/Git cannot read [^]*\n {2}git config --global --add safe\.directory \S+code\n/)
  })

  test('is read as it is, whatever the user has configured or a hook has set', () => {
    const folder = createTemporaryFolder()
    const code = join(folder, 'code')
    createRepository(join(folder, 'other'), [FIRST])
    createRepository(code, [FIRST])
    const other = git(join(folder, 'other'), 'rev-parse', 'HEAD').trim()
    git(code, 'update-index', '--add', '--cacheinfo', `160000,${other},lib`)
    writeFileSync(join(code, 'src/b.ts'), 'const here = 1\n')
    git(code, 'add', 'src/b.ts')
    git(code, '-c', 'user.name=Änn', '-c', 'user.email=ann@example.com', 'commit', '--quiet', '-m', 'Add a submodule')
    for (const [name, value] of [
      ['diff.submodule', 'log'],
      ['diff.ignoreSubmodules', 'all'],
      ['i18n.logOutputEncoding', 'ISO-8859-1'],
    ] as const)
      git(code, 'config', name, value)
    const read = () => {
      const clone = openClone(code)
      const pushes = readPushes(clone, FIRST.atMs)
      expect(pushes.at(-1)?.author.name).toBe('Änn')
      const [before = '', after = ''] = pushes.map(({ sha }) => sha)
      const compare = createDetailedCompare({ clone, pushes, base: before })
      return compare(before, after).files.map(({ path, patch }) => [path, patch?.includes('const here')])
    }
    const files = [
      ['lib', false],
      ['src/b.ts', true],
    ]
    expect(read()).toEqual(files)
    process.env['GIT_DIR'] = join(folder, 'other/.git')
    try {
      expect(read()).toEqual(files)
    } finally {
      delete process.env['GIT_DIR']
    }
  })

  test('has the commits that GitHub has, whatever is in their messages or replaced', async () => {
    const folder = createTemporaryFolder()
    const code = join(folder, 'code')
    const message = 'One \x1e two \x1f three'
    const pushes = pushAt([1, 2]).map((push, at) => (at === 0 ? { ...push, message } : push))
    createRepository(code, [FIRST, ...pushes])
    const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
    const skipped = git(code, ...identity, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD^', '-m', 'Change it [skip ci]')
    git(code, 'replace', 'HEAD', skipped.trim())
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    const { stdout } = await startIn80ColumnsAsIs(folder, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ pushes: 2, not_started: 0, prompts: 2 })
  })

  test('has a commit that a wrong clock has dated in the future, and those after it', async () => {
    const [wrong, ...others] = pushAt([1, 2, 3])
    const { figures } = await play([{ files: {}, ...wrong, atMs: Date.parse('2040-01-01T00:00:00Z') }, ...others])
    expect(figures).toMatchObject({ pushes: 3, prompts: 3 })
  })

  test('that is shallow is an error with the command that completes it', async () => {
    const folder = createTemporaryFolder()
    createRepository(join(folder, 'origin'), [FIRST, ...pushAt([1, 2, 3])])
    git(folder, 'clone', '--quiet', '--depth', '1', `file://${join(folder, 'origin')}`, 'my code')
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    const { stderr, exitCode } = await startInTerminal(['--workflow', 'docs.yml', '--history', 'my code'], { folder })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/is a shallow clone.*\n {2}git -C "\S+\/my code" fetch --unshallow\n/)
  })

  test('is read as a whole, whatever folder of it is named', async () => {
    const folder = createTemporaryFolder()
    createRepository(join(folder, 'code'), [FIRST, ...pushAt([1])])
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    const { stdout } = await startInTerminal(['--workflow', 'docs.yml', '--history', 'code/src'], { folder })
    expect(stdout).toContain('Prompts                       1 ')
    expect(stdout).not.toContain('matches no file')
  })

  test('with a recent commit is played until now', async () => {
    const folder = createTemporaryFolder()
    const nowMs = Date.now()
    const days = [1, 29, 31].map((day) => ({ atMs: nowMs - day * DAY_MS, files: { 'src/a.ts': `${day}\n` } }))
    createRepository(join(folder, 'code'), days.reverse())
    writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
    const { stdout } = await startIn80ColumnsAsIs(folder, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ pushes: 2, prompts: 2 })
  })

  test('is not changed', async () => {
    const { folder } = await play(pushAt([1]))
    expect(git(join(folder, 'code'), 'status', '--porcelain')).toBe('')
  })
})

test.each([
  ['--history code', '--history needs the workflow too'],
  ['--workflow docs.yml --days 3', '--days belongs to --history or --init'],
  ['--workflow docs.yml --history code --days 0', '--days must be a number from 1 to 366'],
  ['--workflow docs.yml --history code --merged-after soon', '--merged-after needs a time'],
  ['--workflow docs.yml --history code --event push', '--event does not go with --history'],
  ['--workflow docs.yml --history nowhere', 'nowhere. Clone the repository first.'],
  ['--workflow docs.yml --history .', 'is no clone of a git repository'],
  ['--workflow none.yml --history code', 'There is no file'],
  ['--workflow comments.yml --history code', 'has no such trigger. It has: issue_comment'],
])('%s is refused with the reason', async (command, reason) => {
  const folder = createTemporaryFolder()
  createRepository(join(folder, 'code'), [FIRST])
  writeFileSync(join(folder, 'docs.yml'), readRecipe('on-push.yml'))
  writeFileSync(join(folder, 'comments.yml'), readRecipe('comments.yml'))
  const { stderr, exitCode } = await startInTerminal(command.split(' '), { folder })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)])
})
