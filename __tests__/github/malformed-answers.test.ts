import { expect, test } from '@jest/globals'
import { createGitHub } from '../../src/emulator/github/github.ts'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'
import type { GitHub, Resources } from '../../src/github/github.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { checkRun, commit, madeCommit } from '../support/github-state.ts'
import { BASE_URL, connectInProcess } from '../support/in-process-github.ts'

const START_MS = Date.UTC(2026, 0, 1)
const NAME = 'acme/docs'
const PLACE = { repository: NAME, number: 7 }
const OWN_RUN = { serverUrl: BASE_URL, repository: NAME, runId: 1 }
const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const COMMENT = { ...PLACE, id: 5, threadId: 5, isOnPullRequest: true, writtenAt: '1970-01-01T00:00:00Z' }

const comment = (id: number, user: string) => ({
  id,
  user,
  body: MARKER,
  createdAtMs: 0,
  updatedAtMs: 0,
  reactions: [],
})
const reviewComment = { ...comment(11, 'stranger'), path: 'a.md', line: 3, diffHunk: '@@ -1 +1 @@', reviewId: 9 }
const asked = (name: string) => ({ id: 8, event: 'review_requested', actor: 'ann', name, atMs: 0 }) as const
const run = (id: number, fields: object) => ({
  ...{ id, workflow: 'docs.yml', branch: 'main', headSha: commit('a'), event: 'push' },
  ...{ status: 'completed' as const, conclusion: 'success', actor: 'mona', createdAtMs: 0, ...fields },
})

/** What is to be trusted of it is told by the fields. */
function world(
  fields: Partial<RepositoryState> = {},
  pull: Parameters<typeof pullState>[0] | object = {},
): RepositoryState {
  const comments = [comment(5, 'stranger'), comment(6, 'app[bot]')]
  return repositoryState({
    commits: [
      madeCommit({ sha: commit('a') }),
      madeCommit({
        ...{ sha: commit('c'), parents: [commit('a')] },
        files: [{ filename: 'b.md', status: 'renamed', previous_filename: 'a.md', patch: '+x' }],
      }),
    ],
    branches: { main: commit('a'), 'agent/guide': commit('c') },
    tags: { 'v1.0.0': commit('a') },
    labels: ['docs-agent'],
    pulls: {
      7: pullState({
        ...{ branch: 'agent/guide', headSha: commit('c'), labels: ['docs-agent'], comments },
        ...{ reviewEvents: [asked('mona'), asked('acme/writers')], reviewComments: [reviewComment], ...pull },
      }),
    },
    collaborators: { mona: 'write' },
    teams: ['writers'],
    checkRuns: [
      checkRun({
        ...{
          id: 21,
          name: 'build',
          headSha: commit('c'),
          runId: 31,
          conclusion: 'failure',
          title: 'No',
          summary: 'No.',
        },
        annotations: [
          { path: 'a.md', start_line: 1, end_line: 1, annotation_level: 'failure', title: 'Spelling', message: 'No.' },
        ],
      }),
    ],
    statuses: [{ headSha: commit('c'), context: 'preview', state: 'failure', createdAtMs: 0 }],
    workflowRuns: [run(41, {})],
    ...fields,
  })
}

type Handle = (request: ServiceRequest) => ServiceResponse

/** The embedded GitHub with such a repository. */
function embedded(docs: RepositoryState): Handle {
  const github = createGitHub({ baseUrl: BASE_URL, startMs: START_MS, state: { repositories: { [NAME]: docs } } })
  return (request) => github.handle(request, START_MS)
}

const { signal } = new AbortController()
const connect = (handle: Handle): GitHub => connectInProcess({ handle, clock: virtualClock(), signal })

const GONE = Symbol('a field that is not there')
const WRONG: readonly unknown[] = [null, 7, 'text', true, { a: 1 }, [7], GONE]
const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** The same with another value at one place. */
function put(value: unknown, [key, ...rest]: readonly string[], wrong: unknown): unknown {
  if (key === undefined) return wrong
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value)
  copy[key] = put(copy[key], rest, wrong)
  if (copy[key] === GONE) Reflect.deleteProperty(copy, key)
  return copy
}

/** Every way in which one field of a JSON text is of another kind than it was. */
function* mutantsOf(
  value: unknown,
  whole = value,
  place: readonly string[] = [],
): Generator<readonly [string, string]> {
  for (const wrong of WRONG) {
    const isOther =
      typeof wrong === 'symbol' ? place.length > 0 : kindOf(wrong) !== kindOf(value) || kindOf(value) === 'list'
    if (isOther) yield [`${place.join('.')}: ${String(wrong)}`, JSON.stringify(put(whole, place, wrong))]
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* mutantsOf(inner, whole, [...place, key])
}

type Question = (github: GitHub) => Promise<unknown>

/** Asks once for each field of each answer that GitHub gives, with that field of another kind. */
async function* mutate(docs: () => RepositoryState, ask: Question): AsyncGenerator<readonly [string, unknown]> {
  const answers: string[] = []
  const handle = embedded(docs())
  await ask(
    connect((...request) => {
      const response = handle(...request)
      answers.push(response.body)
      return response
    }),
  )
  for (const [index, body] of answers.entries()) {
    for (const [what, mutant] of mutantsOf(JSON.parse(body))) {
      const handle = embedded(docs())
      let next = 0
      const github = connect((...request) => {
        const response = handle(...request)
        return next++ === index ? { ...response, body: mutant } : response
      })
      yield [`answer ${index}, ${what}`, await ask(github).catch((error: unknown) => error)]
    }
  }
}

/** Fields that may be left out where GitHub tells nothing of use. */
const OPTIONAL =
  'commentId mergeable previousPath patch line startLine authorId id app title summary annotations tookMs detailsUrl'

/** Where a value is of another kind than one of the promised type. */
function misfit(value: unknown, sample: unknown, key = ''): string | undefined {
  if (sample === undefined || (value === undefined && OPTIONAL.split(' ').includes(key))) return undefined
  if (kindOf(value) !== kindOf(sample)) return `${key} is ${kindOf(value)}`
  if (Array.isArray(value))
    return value.map((item) => misfit(item, (sample as unknown[])[0], `of ${key}`)).find(Boolean)
  if (typeof sample !== 'object' || sample === null) return undefined
  const fields = value as Record<string, unknown>
  return Object.entries(sample)
    .map(([name, inner]) => misfit(fields[name], inner, name))
    .find(Boolean)
}

type Questions = Omit<Resources, 'readJobLog'>

const QUESTIONS = {
  addComment: async (github) => ({ commentId: await github.addComment(PLACE, 'Hello.') }),
  addEyes: (github) => github.addEyes({ ...COMMENT, kind: 'comment' }),
  addLabel: (github) => github.addLabel(PLACE, 'docs-agent'),
  compare: (github) => github.compare(NAME, 'main', 'agent/guide'),
  editComment: (github) => github.editComment(PLACE, 5, 'Hello.'),
  findLabelledPullRequests: (github) => github.findLabelledPullRequests(NAME, 'docs-agent'),
  findLastSuccesses: (github) =>
    github.findLastSuccesses({ repository: NAME, workflow: 'docs.yml', branch: 'main', runId: 99 }),
  findPullRequestsEndingWith: (github) => github.findPullRequestsEndingWith(NAME, commit('c')),
  findPullRequestsOfBranch: (github) => github.findPullRequestsOfBranch(NAME, 'agent/guide', 'open'),
  findPullRequestsOfCommit: (github) => github.findPullRequestsOfCommit(NAME, commit('c')),
  listAnnotations: (github) => github.listAnnotations(NAME, 21),
  listCommitsBetween: (github) => github.listCommitsBetween(NAME, 'main', 'agent/guide'),
  listMarkerComments: (github) => github.listMarkerComments(PLACE),
  listOpenPullRequests: (github) => github.listOpenPullRequests(NAME, 'docs-agent'),
  listPullRequestCommits: (github) => github.listPullRequestCommits(PLACE),
  listReviewersSoFar: (github) => github.listReviewersSoFar(PLACE),
  listReviewComments: (github) => github.listReviewComments({ ...COMMENT, id: 9, kind: 'review' }),
  listTags: (github) => github.listTags(NAME),
  readChecks: (github) => github.readChecks(NAME, commit('c'), OWN_RUN),
  readComment: (github) => github.readComment(PLACE, 5),
  readPullRequest: (github) => github.readPullRequest(PLACE),
  requestReview: (github) => github.requestReview(PLACE, 'acme/writers'),
  mayWrite: (github) => github.mayWrite(NAME, { id: 1, login: 'mona' }),
} satisfies Readonly<Record<keyof Questions, Question>>

test.each(Object.entries(QUESTIONS))(
  '%s gives what it promises, or says that the answer makes no sense',
  async (_name, ask) => {
    const sample = await ask(connect(embedded(world())))
    const wrong: string[] = []
    let mutants = 0
    for await (const [what, answer] of mutate(world, ask)) {
      mutants++
      const problem = answer instanceof Error ? codeOf(answer) : misfit(answer, sample)
      if (problem !== undefined && problem !== 'bad-answer') wrong.push(`${what}: ${problem}`)
    }
    expect(wrong).toEqual([])
    expect(mutants).toBeGreaterThan(5)
  },
)

const codeOf = (error: Error): string => (error instanceof ActionError ? error.code : `${error.name} ${error.message}`)

const pull = (fields: object): Partial<RepositoryState> => ({
  pulls: { 7: pullState({ branch: 'agent/guide', headSha: commit('c'), labels: ['docs-agent'], ...fields }) },
})
const runs = (fields: object): Partial<RepositoryState> => ({ workflowRuns: [run(41, fields)] })

/** What must not be gained by a field of another kind, in worlds where it is not there. */
const NEVER: readonly (readonly [string, Partial<RepositoryState>, (github: GitHub) => Promise<boolean>])[] = [
  ['somebody who may only read may write', { collaborators: { mona: 'read' } }, QUESTIONS.mayWrite],
  ['whoever has the login now is the same person', {}, (github) => github.mayWrite(NAME, { id: 99, login: 'mona' })],
  [
    'a stranger is believed',
    pull({ comments: [comment(5, 'stranger'), comment(6, 'app[bot]')] }),
    async (github) => (await QUESTIONS.listMarkerComments(github)).some(({ author }) => author === 'trusted'),
  ],
  ...(['closed', 'draft'] as const).map(
    (state) =>
      [
        `a pull request that is ${state} is open`,
        pull(state === 'closed' ? { state, draft: true } : { draft: true }),
        async (github: GitHub) => (await QUESTIONS.readPullRequest(github)).state === 'open',
      ] as const,
  ),
  [
    'a pull request with a conflict can be merged',
    pull({ conflict: true }),
    async (github) => (await QUESTIONS.readPullRequest(github)).mergeable === true,
  ],
  [
    'an open pull request is overlooked',
    {},
    async (github) => (await QUESTIONS.listOpenPullRequests(github)).length === 0,
  ],
  [
    'a pull request that brought a commit is overlooked',
    {},
    async (github) => (await QUESTIONS.findPullRequestsOfCommit(github)).length === 0,
  ],
  ['a commit is overlooked', {}, async (github) => (await QUESTIONS.listPullRequestCommits(github)).length === 0],
  [
    'a place of a changed file is overlooked',
    {},
    async (github) => {
      const { files, fileList } = await QUESTIONS.compare(github)
      return fileList === 'whole' && files[0]?.previousPath !== 'a.md'
    },
  ],
  [
    'somebody who was asked for a review was not',
    {},
    async (github) => (await QUESTIONS.listReviewersSoFar(github)).length < 2,
  ],
  [
    'failing checks have passed',
    {},
    async (github) => (await QUESTIONS.readChecks(github)).every(({ state }) => state === 'success'),
  ],
  ...[{ headRepository: 'fork/docs' }, { event: 'pull_request' }, { actor: 'dependabot[bot]' }].map(
    (fields) =>
      [
        `a run with ${JSON.stringify(fields)} is a success of the branch`,
        runs(fields),
        async (github: GitHub) => (await QUESTIONS.findLastSuccesses(github)).length > 0,
      ] as const,
  ),
]

test.each(NEVER)('whatever an answer holds, it never comes out that %s', async (_what, fields, isGained) => {
  const gained: string[] = []
  for await (const [what, answer] of mutate(() => world(fields), isGained)) if (answer === true) gained.push(what)
  expect(gained).toEqual([])
})
