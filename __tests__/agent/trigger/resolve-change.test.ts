import { expect, test } from '@jest/globals'
import { resolveChange, type ChangeFindings } from '../../../src/agent/trigger/resolve-change.ts'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { formatShortfalls } from '../../../src/agent/report/shortfalls.ts'
import type { Comparison } from '../../../src/github/comparisons.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { ATTACH, CREATE } from '../../support/agent-run.ts'
import {
  fakeGitHub,
  inTurn,
  mergedBy,
  PUSH,
  refusal,
  rejecting,
  RUN_FACTS,
  type FakeGitHub,
  type GivenRun,
} from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

interface Looked extends ChangeFindings {
  readonly notice: string | undefined
  readonly log: readonly string[]
  readonly notices: readonly string[]
}

const PUSHED: Partial<GivenRun> = { eventName: 'push', payload: PUSH }

/** @param github null without a token */
async function look(
  fields: Partial<AgentInputs>,
  facts: Partial<GivenRun>,
  github: GitHub | null = fakeGitHub(),
): Promise<Looked> {
  const log: string[] = []
  const notices: string[] = []
  const host = {
    ...fakeHost(),
    log: (line: string) => log.push(line),
    notice: (_title: string, text: string) => notices.push(text),
  }
  const inputs = agentInputs({ task: CREATE, label: 'docs-agent', ...fields })
  const step = fakeStep({ core: host, github: github ?? undefined, context: { ...RUN_FACTS, ...facts } })
  const journal = new Journal(inputs, step)
  const findings = await resolveChange(inputs, step, journal)
  return { ...findings, notice: formatShortfalls(journal.shortfalls), log, notices }
}

const only = (text: string) => ({ kind: 'paths', rules: parsePathPatterns(text).rules, patterns: [text] }) as const

const comparison: Comparison = {
  relation: 'ahead',
  mergeBase: commit('a'),
  commits: [{ sha: commit('b'), message: 'Change the guide', author: 'Ann' }],
  totalCommits: 1,
  files: [],
  fileList: 'whole',
}

const ownPush = (): FakeGitHub =>
  fakeGitHub({ findPullRequestsOfCommit: () => Promise.resolve([mergedBy(7, 'docs-agent')]) })

test('asks nothing where nothing was asked for', async () => {
  const github = fakeGitHub()
  expect(await look({}, {}, github)).toMatchObject({ skipReason: undefined, promptContext: '', notice: undefined })
  expect(github.asked).toEqual([])
})

test('attaching is never skipped, as it sends nothing', async () => {
  const github = fakeGitHub()
  expect((await look({ task: ATTACH, pathFilter: only('a') }, PUSHED, github)).skipReason).toBeUndefined()
  expect(github.asked).toEqual([])
})

test('a push that deleted a branch asks nothing of anybody', async () => {
  const github = fakeGitHub()
  const { skipReason } = await look({}, { ...PUSHED, payload: { ...PUSH, deleted: true } }, github)
  expect(skipReason).toContain('deleted a branch')
  expect(github.asked).toEqual([])
})

test('a push that deleted a branch tells what no green run has told, as the next one looks back to it', async () => {
  const deletion = { ...PUSHED, payload: { ...PUSH, ref: 'refs/heads/next', deleted: true } }
  const changeRange = { kind: 'since-last-success' } as const
  const inputs = { changeRange, changeContext: 'files' } as const
  const where = (answer: Partial<GitHub>) => look(inputs, deletion, fakeGitHub(answer))
  expect(await where({})).toMatchObject({
    skipReason: undefined,
    promptContext: expect.stringContaining('docs/guide.md'),
  })
  const nothing = { ...comparison, relation: 'identical', commits: [], totalCommits: 0 } as const
  const quiet = [{ compare: inTurn<Comparison>(nothing) }, { findLastSuccesses: inTurn<readonly string[]>([]) }]
  for (const answer of quiet) expect((await where(answer)).skipReason).toContain('deleted a branch')
  expect((await look({ changeRange }, deletion)).skipReason).toContain('deleted a branch')
})

test('a merge of a pull request that a job opened does not wake the agent', async () => {
  expect((await look({}, PUSHED, ownPush())).skipReason).toContain('#7')
  expect((await look({ skipOwnChanges: false }, PUSHED, ownPush())).skipReason).toBeUndefined()
  expect((await look({}, {}, ownPush())).skipReason).toBeUndefined()
})

test('a push that looks further back than to itself is not skipped for its own commits alone', async () => {
  const older = { sha: commit('9'), message: 'Change the code', author: 'Bea' }
  const github = fakeGitHub({
    findLastSuccesses: () => Promise.resolve([commit('a')]),
    compare: () => Promise.resolve({ ...comparison, commits: [older, ...comparison.commits], totalCommits: 2 }),
    findPullRequestsOfCommit: (_repository, sha) =>
      Promise.resolve(sha === commit('b') ? [mergedBy(7, 'docs-agent')] : []),
  })
  const inEvent = { changeContext: 'commits' } as const
  const lookingBack = { ...inEvent, changeRange: { kind: 'since-last-success' } } as const
  expect((await look(lookingBack, PUSHED, github)).skipReason).toBeUndefined()
  expect((await look(inEvent, PUSHED, github)).skipReason).toContain('#7')
  const silent = { ...github, until: () => ({ ...github, compare: rejecting(refusal('service-error')) }) }
  expect((await look(inEvent, PUSHED, silent)).skipReason).toContain('#7')
})

test('a push of somebody else does', async () => {
  expect(await look({}, PUSHED)).toMatchObject({ skipReason: undefined, notice: undefined })
})

test('a question without an answer skips nothing, and is told', async () => {
  const github = fakeGitHub({ findPullRequestsOfCommit: rejecting(refusal('forbidden', 'Grant it.')) })
  const { skipReason, notice } = await look({}, PUSHED, github)
  expect(skipReason).toBeUndefined()
  expect(notice).toContain('was not skipped')
  expect(notice).toContain('Grant it.')
})

test('without a token it goes on, and misses only what was asked for by name', async () => {
  const own = await look({}, PUSHED, null)
  expect(own.skipReason).toBeUndefined()
  expect(own.notice).toBeUndefined()
  expect(own.log.join()).toContain('there is no `github-token`')
  const context = await look({ changeContext: 'diff', skipOwnChanges: false }, PUSHED, null)
  expect(context.notice).toContain('`contents: read`')
  expect((await look({ changeContext: 'diff' }, {}, null)).notice).toContain('`contents: read` and `actions: read`')
})

test('where no changed file counts, it is skipped', async () => {
  expect((await look({ pathFilter: only('src/**') }, PUSHED)).skipReason).toContain('No changed file matches `paths`')
  expect((await look({ pathFilter: only('docs/**') }, PUSHED)).skipReason).toBeUndefined()
})

test('a list of files that GitHub cut proves nothing', async () => {
  const github = fakeGitHub({ compare: () => Promise.resolve({ ...comparison, fileList: 'cut' }) })
  const { skipReason, log } = await look({ pathFilter: only('src/**') }, PUSHED, github)
  expect(skipReason).toBeUndefined()
  expect(log.join()).toContain('not skipped')
})

test.each(['behind', 'diverged'] as const)(
  'what a forced push took out is not listed (%s), so that nothing is skipped',
  async (relation) => {
    const github = fakeGitHub({ compare: () => Promise.resolve({ ...comparison, relation }) })
    const { skipReason, log } = await look({ pathFilter: only('docs/**') }, PUSHED, github)
    expect(skipReason).toBeUndefined()
    expect(log.join()).toContain('History was rewritten')
  },
)

test('a pull request whose base went on is skipped where none of its files counts', async () => {
  const payload = { pull_request: { number: 7, base: { sha: commit('a') }, head: { sha: commit('b') } } }
  const github = fakeGitHub({ compare: () => Promise.resolve({ ...comparison, relation: 'diverged' }) })
  const { skipReason } = await look(
    { pathFilter: only('docs/**'), skipOwnChanges: false },
    { eventName: 'pull_request', payload },
    github,
  )
  expect(skipReason).toContain('No changed file matches')
})

const since = { changeRange: { kind: 'since-last-success' } } as const
const between = { changeRange: { kind: 'between', repository: undefined, base: 'v1', head: 'v2' } } as const

test.each([
  ['GitHub is down', fakeGitHub({ findLastSuccesses: rejecting(refusal('service-error')) }), since],
  ['it cannot be compared', fakeGitHub({ compare: rejecting(refusal('forbidden', 'Grant it.')) }), since],
  ['an end of it is not there', fakeGitHub({ compare: rejecting(refusal('not-found')) }), between],
  ['there is no token', null, since],
] as const)(
  'a range that was asked for by name sends nothing if %s: green, it would move the next base',
  async (_why, github, asked) => {
    const error = {
      code: 'not-sent',
      message: expect.stringContaining('`change-range` asks for it'),
      hint: expect.anything(),
    }
    for (const wanted of [{ changeContext: 'files' }, { pathFilter: only('docs/**') }] as const)
      await expect(look({ ...wanted, ...asked }, PUSHED, github)).rejects.toMatchObject(error)
    const skipOwnChanges = false
    expect((await look({ ...asked, skipOwnChanges }, PUSHED, github)).notice).toBeUndefined()
  },
)

/** A GitHub that has lost these commits. */
const without = (...gone: readonly string[]) => {
  const bases: string[] = []
  const compare: GitHub['compare'] = (_repository, base) => {
    bases.push(base)
    return gone.includes(base) ? Promise.reject(refusal('not-found')) : Promise.resolve(comparison)
  }
  const findLastSuccesses = () => Promise.resolve([commit('7'), commit('5')])
  return { bases, github: fakeGitHub({ compare, findLastSuccesses }) }
}

test('a base that is gone gives way to the success before it, and then to the event’s own range, said in a notice', async () => {
  for (const [lost, base] of [
    [[commit('7')], commit('5')],
    [[commit('7'), commit('5')], commit('a')],
  ] as const) {
    const { bases, github } = without(...lost)
    const { promptContext, notices } = await look({ ...since, changeContext: 'files' }, PUSHED, github)
    expect(bases).toEqual([...lost.flatMap((one) => [one, one]), base])
    expect(promptContext).toContain(`from ${base.slice(0, 7)} to`)
    expect(notices).toEqual([expect.stringContaining(`from ${base.slice(0, 7)} to`)])
  }
  const { github } = without(commit('7'), commit('5'))
  const { description, notices } = await look({ changeContext: 'files' }, { eventName: 'schedule' }, github)
  expect(description).toContain('the commits of the last successful runs of this workflow are gone')
  expect(notices).toHaveLength(1)
})

test('what a forced push took out counts, too, so that nothing is skipped after it', async () => {
  const { github } = without(commit('7'))
  expect((await look({ ...since, pathFilter: only('src/**') }, PUSHED, github)).skipReason).toBeUndefined()
})

test('a range that cannot be read skips nothing', async () => {
  const github = fakeGitHub({ compare: rejecting(refusal('forbidden')) })
  const { skipReason, notice } = await look({ pathFilter: only('src/**') }, PUSHED, github)
  expect(skipReason).toBeUndefined()
  expect(notice).toContain('`paths` had no effect')
})

test('tells the agent what changed, and the reader what was sent', async () => {
  const { promptContext, description } = await look({ changeContext: 'diff' }, PUSHED)
  expect(promptContext).toContain('What changed in acme/docs (the push, from aaaaaaa to bbbbbbb)')
  expect(promptContext).toContain('docs/guide.md')
  expect(description).toContain('1 commit in 1 file: the push to `main` by `ann`, from `aaaaaaa` to `bbbbbbb`.')
  expect(description).toContain(`${Buffer.byteLength(promptContext)} of at most 65536 bytes`)
})

test('a schedule tells what changed since the last successful run', async () => {
  const asked: unknown[] = []
  const github = fakeGitHub({
    compare: (...args) => {
      asked.push(args)
      return Promise.resolve(comparison)
    },
  })
  const { promptContext } = await look({ changeContext: 'files' }, { eventName: 'schedule' }, github)
  expect(asked).toEqual([['acme/docs', commit('a'), commit('b')]])
  expect(promptContext).toContain('since the last successful run')
})

test('after `workflow_run` nobody knows what was told, so looking back to it is refused, if it is wanted', async () => {
  const changeRange = { kind: 'since-last-success' } as const
  const facts = { eventName: 'workflow_run', payload: { workflow_run: { head_sha: commit('b') } } }
  const refused = 'must not be given after `workflow_run`'
  await expect(look({ changeRange, changeContext: 'files' }, facts)).rejects.toThrow(refused)
  expect((await look({ changeRange }, facts)).skipReason).toBeUndefined()
})

test('the first run ever has nothing to compare with, says so, and goes on', async () => {
  const github = fakeGitHub({ findLastSuccesses: () => Promise.resolve([]) })
  const found = await look({ changeContext: 'files', pathFilter: only('docs/**') }, { eventName: 'schedule' }, github)
  expect(found).toMatchObject({ skipReason: undefined, promptContext: '', notice: undefined })
  expect(found.description).toContain('no run of this workflow')
})

test('rewritten history is compared from the merge base, and that is said', async () => {
  const github = fakeGitHub({
    compare: () => Promise.resolve({ ...comparison, relation: 'diverged', mergeBase: commit('d') }),
  })
  const { description } = await look(
    { changeContext: 'files' },
    { ...PUSHED, payload: { ...PUSH, forced: true } },
    github,
  )
  expect(description).toContain(
    'the forced push to `main` by `ann`, from the merge base `ddddddd` to `bbbbbbb`, as `aaaaaaa` is not in its history.',
  )
})

test.each([
  [
    [refusal('not-found'), refusal('not-found')],
    [commit('a'), commit('a'), 'main'],
  ],
  // As a gateway says it.
  [[refusal('not-found')], [commit('a'), commit('a')]],
])('a commit that a forced push threw away is replaced by the default branch: %j', async (refusals, expected) => {
  const bases: string[] = []
  const answers = inTurn(...refusals, comparison)
  const github = fakeGitHub({
    compare: (_repository, base) => {
      bases.push(base)
      return answers()
    },
  })
  const found = await look({ changeContext: 'files' }, { ...PUSHED, payload: { ...PUSH, forced: true } }, github)
  expect(bases).toEqual(expected)
  expect(found.notice).toBeUndefined()
})

test('a commit that cannot be compared for another reason is not replaced', async () => {
  const bases: string[] = []
  const github = fakeGitHub({
    compare: (_repository, base) => {
      bases.push(base)
      return Promise.reject(refusal('service-error'))
    },
  })
  const found = await look({ changeContext: 'files' }, { ...PUSHED, payload: { ...PUSH, forced: true } }, github)
  expect(bases).toEqual([commit('a')])
  expect(found.notice).toContain('What changed is not known')
})

test('a cancelled run ends here', async () => {
  const github = fakeGitHub({ findPullRequestsOfCommit: rejecting(refusal('cancelled')) })
  await expect(look({}, PUSHED, github)).rejects.toMatchObject({ code: 'cancelled' })
})

test('where the files decide, nobody is asked whose commits they are', async () => {
  const github = fakeGitHub()
  await look({ pathFilter: only('src/**') }, PUSHED, github)
  expect(github.asked).toEqual(['compare'])
})

test('what the event is about goes behind the prompt, also where there is nothing to compare', async () => {
  const issue = { number: 3, title: 'It is wrong', body: 'See line 3.' }
  const facts = { eventName: 'issues', payload: { issue } }
  const { promptContext, description } = await look({ changeContext: 'files', changeContextBytes: 1_024 }, facts)
  expect(promptContext).toContain('Issue #3: It is wrong')
  expect(Buffer.byteLength(promptContext)).toBeLessThanOrEqual(1_024)
  expect(description).toMatch(/an issue, which has no commits\. Added to the prompt: what the event is about \(/)
})

test('a subject and a change share the bytes', async () => {
  const pull_request = { number: 7, title: 'Add a flag', base: { sha: commit('a') }, head: { sha: commit('b') } }
  const comment = { id: 1, body: 'x\n'.repeat(5_000) }
  const facts = { eventName: 'pull_request_review_comment', payload: { pull_request, comment } }
  const { promptContext } = await look({ changeContext: 'files', changeContextBytes: 2_048 }, facts)
  expect(promptContext).toContain('Pull request #7: Add a flag')
  expect(promptContext).toContain('M docs/guide.md')
  expect(Buffer.byteLength(promptContext)).toBeLessThanOrEqual(2_048)
})

test('a range without commits is skipped with paths, and said without', async () => {
  const quiet = { ...comparison, relation: 'identical', commits: [], totalCommits: 0 } as const
  const github = fakeGitHub({ compare: () => Promise.resolve(quiet) })
  const schedule = { eventName: 'schedule' }
  expect((await look({ pathFilter: only('**') }, schedule, github)).skipReason).toContain('no commits')
  const { promptContext, skipReason } = await look({ changeContext: 'files' }, schedule, github)
  expect(skipReason).toBeUndefined()
  expect(promptContext).toContain('Nothing changed in acme/docs')
})

test('a range of its own has nothing to do with the push that starts the run, which is skipped if it is the agent’s', async () => {
  const elsewhere = { ...between, changeRange: { ...between.changeRange, repository: 'acme/code' } }
  expect((await look({ ...elsewhere, changeContext: 'files' }, PUSHED, ownPush())).skipReason).toContain('#7')
  expect((await look({ ...elsewhere, changeContext: 'files' }, PUSHED)).skipReason).toBeUndefined()
})

const BOT = { login: 'release[bot]', type: 'Bot' }

test('a release by a bot is skipped only if all that came since the tag before it is the agent’s', async () => {
  const facts = { eventName: 'release', payload: { release: { tag_name: 'v2' }, sender: BOT } }
  const own = {
    listTags: () => Promise.resolve([{ name: 'v1', sha: commit('a') }]),
    findPullRequestsOfCommit: inTurn([mergedBy(7, 'docs-agent')]),
  }
  expect((await look({}, facts, fakeGitHub(own))).skipReason).toContain('#7')
  const older = { sha: commit('9'), message: 'Change the code', author: 'Bea' }
  const mixed = {
    ...own,
    compare: () => Promise.resolve({ ...comparison, commits: [older, ...comparison.commits], totalCommits: 2 }),
    findPullRequestsOfCommit: (_repository: string, sha: string) =>
      Promise.resolve(sha === commit('b') ? [mergedBy(7, 'docs-agent')] : []),
  }
  expect((await look({}, facts, fakeGitHub(mixed))).skipReason).toBeUndefined()
})

test('what a bot has caused asks nothing if its range cannot be found out', async () => {
  const workflow_run = { id: 30, workflow_id: 51, head_sha: commit('b'), head_branch: 'main', pull_requests: [] }
  const event = { workflow_run, repository: { id: 1, default_branch: 'main' } }
  const silent = fakeGitHub({ findLastSuccesses: rejecting(refusal('service-error')) })
  const of = (payload: object) => look({ changeContext: 'files' }, { eventName: 'workflow_run', payload }, silent)
  expect((await of({ ...event, sender: BOT })).skipReason).toContain('A bot started this run')
  expect((await of(event)).skipReason).toBeUndefined()
})
