import { expect, test } from '@jest/globals'
import { canNameSource } from '../../../src/agent/conversation/choose-task.ts'
import { formatSources } from '../../../src/agent/pull-request/pull-request-log.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import type { Visibility } from '../../../src/github/schemas.ts'
import { playFollowUp } from '../../support/play-step.ts'
import { PULL_REQUEST, PUSH, readRun, RUN_FACTS, type GivenRun } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { changedRepository, commit } from '../../support/github-state.ts'

const CODE = 'acme/secret-code'
const COMPARED = `https://git.example.com/${CODE}/compare/a...b`

/** A push to a repository in which every name contains `secret`. */
function pushTo(repository: string, visibility: Visibility | undefined): Partial<GivenRun> {
  const sender = { login: 'secret-mona', type: 'User' }
  const commits = PUSH.commits.map((commit) => ({ ...commit, message: 'A secret plan' }))
  const payload = { ...PUSH, ref: 'refs/heads/secret-plan', compare: COMPARED, sender, commits }
  return {
    eventName: 'push',
    actor: 'secret-mona',
    refName: 'secret-plan',
    stepId: 'secret-step',
    repository,
    payload: { ...payload, repository: { ...PUSH.repository, visibility } },
  }
}

/** Returns the log of a pull request in acme/docs. */
async function readLog(facts: Partial<GivenRun>, target: Visibility, given: Readonly<Record<string, string>>) {
  const { docs, report } = await playFollowUp(given, {
    facts,
    prepare: (docs) => {
      docs.visibility = target
    },
  })
  expect(report.outcome).toBe('pull-request')
  const bodies = Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body))
  return bodies.filter((body) => body.includes('<!-- row=')).join('\n')
}

const NEW_JOB = { 'on-open-pr': 'new' }
const IN_DOCS = { 'pr-repository': 'acme/docs' }
const IN_CODE = { ...NEW_JOB, 'pr-repository': CODE }

test.each<[Visibility | undefined, Visibility, Readonly<Record<string, string>>]>([
  ['private', 'public', IN_DOCS],
  ['private', 'public', NEW_JOB],
  // The job's link leads to acme/docs, regardless of the input.
  ['private', 'public', IN_CODE],
  ['internal', 'public', IN_DOCS],
  ['internal', 'private', IN_DOCS],
  ['private', 'internal', IN_DOCS],
  [undefined, 'public', IN_DOCS],
])('the log names nothing of a %s source in a %s pull request (%j)', async (source, target, given) => {
  const log = await readLog(pushTo(CODE, source), target, given)
  expect(log).toContain('| a run in another repository |')
  expect(log).not.toContain('secret')
  expect(log).not.toContain('/actions/runs/')
})

test.each<[string, Visibility | undefined, Visibility]>([
  [CODE, 'public', 'public'],
  [CODE, 'private', 'private'],
  ['ACME/docs', undefined, 'public'],
])('the log names %s (%s) in a %s pull request', async (repository, source, target) => {
  const log = await readLog(pushTo(repository, source), target, IN_DOCS)
  expect(log).toContain('push to <code>secret&#45;plan</code> by <code>secret&#45;mona</code>')
  expect(log).toContain(`/${repository}/actions/runs/42`)
  expect(log).toContain('step <code>secret&#45;step</code>')
})

test.each<[boolean, string, Visibility | undefined, Visibility]>([
  [true, 'acme/docs', undefined, 'public'],
  [true, CODE, 'public', 'public'],
  [true, CODE, 'private', 'private'],
  [false, CODE, 'private', 'public'],
  [false, CODE, 'internal', 'private'],
  [false, CODE, undefined, 'public'],
])(
  'asking the agent to name the commits of the source is %j for %s (%s) in a %s pull request',
  async (isRequested, repository, source, target) => {
    const { messages } = await playFollowUp(IN_DOCS, {
      facts: pushTo(repository, source),
      prepare: (docs) => {
        docs.visibility = target
      },
    })
    expect(messages).toHaveLength(1)
    expect(messages[0]?.includes('name the source commits')).toBe(isRequested)
  },
)

test.each([
  [true, CODE, 'ACME/docs@main...next'],
  [true, CODE, 'acme/docs/pull/7'],
  [false, 'acme/docs', `${CODE}@main...next`],
  [false, 'acme/other', `${CODE}@main...next`],
  [true, 'acme/other', 'main...next'],
])('naming the source is allowed: %j for a run in %s with `change-range: %s`', (isNamed, repository, range) => {
  const context = readRun({ ...RUN_FACTS, repository, payload: { repository: { visibility: 'public' } } })
  const step = fakeStep({ context, inputs: agentInputs({}, { 'github-token': 'x', 'change-range': range }) })
  expect(canNameSource(step, PULL_REQUEST)).toBe(isNamed)
})

/** A push of the merge commit of pull request 9. */
const MERGED_PUSH = (repository: string): Partial<GivenRun> => ({
  ...pushTo(repository, 'public'),
  payload: {
    ...PUSH,
    repository: { ...PUSH.repository, visibility: 'public' },
    commits: PUSH.commits.map((one) => ({ ...one, message: 'Add a flag (#9)' })),
  },
})

test.each([{ 'on-open-pr': 'new' }, { 'on-open-pr': 'follow-up' }])(
  'the log references the merged pull requests of a push, in the first version of a new comment: %j',
  async (given) => {
    const added: string[] = []
    const { docs, report } = await playFollowUp(given, {
      facts: MERGED_PUSH('acme/docs'),
      prepare: (docs) => {
        docs.pulls[9] = createPullState({
          branch: 'flag',
          headSha: commit('b'),
          user: 'mona',
          state: 'closed',
          closedBaseSha: commit('a'),
          merge: { sha: commit('b'), atMs: 0 },
        })
      },
      onRequest: (what, { docs }) => {
        if (what === 'issues/update-comment')
          added.push(...Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body)))
      },
    })
    expect(report.outcome).toBe('pull-request')
    const bodies = Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body))
    const log = bodies.filter((body) => body.includes('<!-- row=')).join('\n')
    expect(log).toMatch(/\| .*push to .*, for acme\/docs#9 \|/)
    expect(log).not.toMatch(/(?<![\w&])@\w/)
    if (given['on-open-pr'] === 'new') expect(added.join('\n')).toContain('It is about acme/docs#9.')
  },
)

/** A repository in which pull request 9 was merged between the tags `v1` and `v2`. */
function releasedRepository(visibility: Visibility) {
  const repository = changedRepository({ message: 'Add a flag (#9)', files: [{ filename: 'src/flag.ts' }] })
  Object.assign(repository.tags, { v1: commit('a'), v2: commit('b') })
  repository.visibility = visibility
  repository.pulls[9] = createPullState({
    branch: 'flag',
    headSha: commit('b'),
    user: 'mona',
    state: 'closed',
    closedBaseSha: commit('a'),
    merge: { sha: commit('b'), atMs: 0 },
  })
  return repository
}

test.each<[range: string, visibility: Visibility, references: string | undefined]>([
  // A comparison does not contain the visibility of its repository, so the repository counts as private.
  ['acme/secret@v1...v2', 'private', undefined],
  ['acme/secret@v1...v2', 'public', undefined],
  ['acme/secret/pull/9', 'private', undefined],
  ['acme/secret/pull/9', 'public', 'acme/secret#9'],
])('the log of a public run about %s (%s) references: %s', async (range, visibility, references) => {
  const sender = { login: 'mona', type: 'User' }
  const { docs, report } = await playFollowUp(
    { 'on-open-pr': 'new', 'change-range': range, 'change-context': 'commits' },
    {
      facts: {
        eventName: 'workflow_dispatch',
        payload: { sender, repository: { default_branch: 'main', visibility: 'public' } },
      },
      onRequest: (_what, { service }) => {
        service.github.state.repositories['acme/secret'] ??= releasedRepository(visibility)
      },
    },
  )
  expect(report.outcome).toBe('pull-request')
  expect(report.sources).toMatchObject([{ repository: 'acme/secret', number: 9 }])
  const bodies = Object.values(docs.pulls).flatMap(({ body, comments }) => [body, ...comments.map((one) => one.body)])
  const log = bodies.join('\n')
  expect(log).toContain('<!-- row=')
  if (references === undefined) expect(log).not.toContain('secret')
  else expect(log).toContain(`, for ${references} |`)
})

const log = (visibility: Visibility | undefined) => ({
  pullRequest: { repository: 'acme/docs', number: 7, visibility },
  jobId: 'job_1',
  comment: { kind: 'known', id: 1 } as const,
  followUps: 0,
})
const source = (visibility?: Visibility, number = 12) => ({ repository: 'acme/code', number, visibility })

test.each<[Visibility | undefined, Visibility | undefined, string]>([
  ['public', 'public', 'acme/code#12'],
  ['private', 'private', 'acme/code#12'],
  ['public', 'private', ''],
  ['private', 'public', ''],
  ['private', 'internal', ''],
  [undefined, 'public', ''],
  ['public', undefined, 'acme/code#12'],
  [undefined, undefined, ''],
])('names a %s source in a %s pull request as %j', (from, target, expected) => {
  expect(formatSources({ sources: [source(from)], log: log(target) })).toBe(expected)
})

test('names at most five sources, and never the pull request itself', () => {
  const sources = [1, 2, 3, 4, 5, 6].map((number) => source('public', number))
  expect(formatSources({ sources, log: log('public') }).split(', ')).toHaveLength(5)
  const own = { repository: 'Acme/docs', number: 7 }
  expect(formatSources({ sources: [own, { ...own, number: 8 }], log: log('public') })).toBe('Acme/docs#8')
  expect(formatSources({ sources })).toBe('')
})
