import { getOctokit } from '@actions/github'
import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/marker.ts'
import { createGitHub } from '../../src/emulator/github/github.ts'
import { API_PATH } from '../../src/emulator/github/reply.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { Refusal, type GitHubResponse } from '../../src/github/github-error.ts'
import { connectGitHub, type GitHub, type Resources } from '../../src/github/github.ts'
import type { Transport } from '../../src/github/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { checkRun, commit, madeCommit } from '../support/github-state.ts'
import { BASE_URL } from '../support/in-process-github.ts'

const NAME = 'acme/docs'
const PLACE = { repository: NAME, number: 7 }
const OWN_RUN = { serverUrl: BASE_URL, repository: NAME, runId: 1 }
const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const COMMENT = { ...PLACE, id: 5, threadId: 5, isOnPullRequest: true, writtenAt: '1970-01-01T00:00:00Z' }

const comment = (id: number, user: string) => ({ id, user, body: MARKER, createdAtMs: 0, reactions: [] })
const reviewComment = { ...comment(11, 'stranger'), path: 'a.md', line: 3, diffHunk: '@@ -1 +1 @@', reviewId: 9 }
const asked = (name: string) => ({ id: 8, event: 'review_requested', actor: 'ann', name, atMs: 0 }) as const
const run = (fields: object = {}) => ({
  id: 41,
  workflow: 'docs.yml',
  branch: 'main',
  headSha: commit('a'),
  event: 'push',
  status: 'completed' as const,
  conclusion: 'success',
  actor: 'mona',
  createdAtMs: 0,
  ...fields,
})
const annotation = { path: 'a.md', start_line: 1, end_line: 1, title: 'Spelling', message: 'No.' }
const failing = { conclusion: 'failure', title: 'No', summary: 'No.' }
const pulls = (fields: object): RepositoryState['pulls'] => ({
  7: pullState({ branch: 'agent/guide', headSha: commit('c'), labels: ['docs-agent'], ...fields }),
})
const comments = [comment(5, 'stranger'), comment(6, 'app[bot]')]

/** What is to be trusted of it is told by the fields. */
const world = (fields: Partial<RepositoryState>): RepositoryState =>
  repositoryState({
    commits: [
      madeCommit({ sha: commit('a') }),
      madeCommit({
        sha: commit('c'),
        parents: [commit('a')],
        files: [{ filename: 'b.md', status: 'renamed', previous_filename: 'a.md', patch: '+x' }],
      }),
    ],
    branches: { main: commit('a'), 'agent/guide': commit('c') },
    tags: { 'v1.0.0': commit('a') },
    labels: ['docs-agent'],
    pulls: pulls({
      comments,
      reviewEvents: [asked('mona'), asked('acme/writers')],
      reviewComments: [reviewComment],
    }),
    collaborators: { mona: 'write' },
    teams: ['writers'],
    checkRuns: [
      checkRun({
        id: 21,
        name: 'build',
        headSha: commit('c'),
        runId: 31,
        ...failing,
        annotations: [{ ...annotation, annotation_level: 'failure' }],
      }),
    ],
    statuses: [{ headSha: commit('c'), context: 'preview', state: 'failure', createdAtMs: 0 }],
    workflowRuns: [run()],
    ...fields,
  })

interface Asked {
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

/** The responses of the embedded GitHub with such a repository. */
function embedded(docs: RepositoryState): (request: Asked) => GitHubResponse {
  const startMs = Date.UTC(2026, 0, 1)
  const github = createGitHub({ baseUrl: BASE_URL, startMs, state: { repositories: { [NAME]: docs } } })
  return ({ method, url, body }) => {
    const request = { method, target: url.slice(BASE_URL.length), headers: { authorization: `token ${GITHUB_TOKEN}` } }
    const response = github.handle({ ...request, body: body === undefined ? '' : JSON.stringify(body) }, startMs)
    return { ...response, url, data: JSON.parse(response.body) as unknown }
  }
}

/** Octokit, with a plugin that responds to every request itself. */
function respondWith(respond: (request: Asked) => GitHubResponse): Transport {
  const octokit = getOctokit(GITHUB_TOKEN, { baseUrl: `${BASE_URL}${API_PATH}` }, ({ hook, request }) => {
    hook.wrap('request', (_send, options) => {
      const response = respond(request.endpoint.parse(options))
      if (response.status >= 400) throw new Refusal(response)
      return response
    })
  })
  return { open: () => Promise.resolve(octokit), usage: () => ({ counted: 0, remaining: 0, limit: 0 }) }
}

/** Undefined: the field is not there. */
const WRONG: readonly unknown[] = [null, 7, 'text', true, { a: 1 }, [7], undefined]
const getKind = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** The same with another value at one place. */
function put(value: unknown, [key, ...rest]: readonly string[], wrong: unknown): unknown {
  if (key === undefined) return wrong
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value)
  return Object.assign(copy, { [key]: put(copy[key], rest, wrong) })
}

/** Every way in which one field of an answer is of another kind than it was. */
function* mutantsOf(
  value: unknown,
  whole = value,
  place: readonly string[] = [],
): Generator<readonly [string, unknown]> {
  for (const wrong of WRONG)
    if (getKind(wrong) !== getKind(value) || getKind(value) === 'list')
      yield [`${place.join('.')}: ${String(wrong)}`, put(whole, place, wrong)]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* mutantsOf(inner, whole, [...place, key])
}

const OPTIONS = {
  token: GITHUB_TOKEN,
  apiUrl: `${BASE_URL}${API_PATH}`,
  env: {},
  clock: virtualClock(),
  deadlineAt: 60_000,
  signal: new AbortController().signal,
  log: () => undefined,
  debug: () => undefined,
  redact: (text: string) => text,
}

/** Asks once of all as it is, and once for each field of each answer that GitHub gives, with that field of another kind. */
async function* mutate<T>(docs: RepositoryState, ask: (github: GitHub) => Promise<T>) {
  const answerTo = embedded(docs)
  const answers = new Map<string, GitHubResponse>()
  let wrong: { readonly place: string; readonly data: unknown } | undefined
  const transport = respondWith((request) => {
    const place = `${request.method} ${request.url}`
    const right = answers.get(place) ?? answerTo(request)
    answers.set(place, right)
    return wrong?.place === place ? { ...right, data: wrong.data } : right
  })
  const github = connectGitHub(OPTIONS, undefined, transport)
  yield ['nothing', await ask(github)] as const
  for (const [place, { data }] of [...answers])
    for (const [what, mutant] of mutantsOf(data)) {
      wrong = { place, data: mutant }
      yield [`${place}, ${what}`, await ask(github).catch((error: unknown) => error)] as const
    }
}

/** Fields that may be left out where GitHub tells nothing of use. */
const OPTIONAL =
  'commentId mergeable previousPath patch line startLine authorId waitsForApproval isGuarded count needsPerson isSkipped id suiteId app title summary annotations detailsUrl pageUrl tookMs repositoryName'

/** Where a value is of another kind than one of the promised type. */
function misfit(value: unknown, sample: unknown, key = ''): string | undefined {
  if (sample === undefined || (value === undefined && OPTIONAL.split(' ').includes(key))) return undefined
  if (getKind(value) !== getKind(sample)) return `${key} is ${getKind(value)}`
  if (Array.isArray(value))
    return value.map((item) => misfit(item, (sample as unknown[])[0], `of ${key}`)).find(Boolean)
  if (typeof sample !== 'object' || sample === null) return undefined
  const fields = value as Record<string, unknown>
  return Object.entries(sample)
    .map(([name, inner]) => misfit(fields[name], inner, name))
    .find(Boolean)
}

type Question = (github: GitHub) => Promise<unknown>

const ASK = {
  addComment: async (github) => ({ commentId: await github.addComment(PLACE, 'Hello.') }),
  addEyes: (github) => github.addEyes({ ...COMMENT, kind: 'comment' }),
  addLabel: (github) => github.addLabel(PLACE, 'docs-agent'),
  compare: (github) => github.compare(NAME, 'main', 'agent/guide'),
  editComment: (github) => github.editComment(PLACE, 5, 'Hello.'),
  findLabelledPullRequests: (github) => github.findLabelledPullRequests(NAME, 'docs-agent'),
  findLastSuccesses: (github) =>
    github.findLastSuccesses({ repository: NAME, workflow: 'docs.yml', branch: 'main', runId: 99 }),
  hasCompleted: (github) => github.hasCompleted(NAME, 41, 1),
  findPullRequestsEndingWith: (github) => github.findPullRequestsEndingWith(NAME, commit('c')),
  findPullRequestsOfBranch: (github) => github.findPullRequestsOfBranch(NAME, 'agent/guide', 'open'),
  findPullRequestsOfCommit: (github) => github.findPullRequestsOfCommit(NAME, commit('c')),
  listAnnotations: (github) => github.listAnnotations(NAME, 21),
  listCommitsBetween: (github) => github.listCommitsBetween(NAME, 'main', 'agent/guide'),
  listCommitPaths: (github) => github.listCommitPaths(NAME, commit('c')),
  listComments: (github) => github.listComments(PLACE, isOwnComment),
  listPullRequestPaths: (github) => github.listPullRequestPaths(PLACE),
  listNewestPullRequests: (github) => github.listNewestPullRequests(NAME, 'docs-agent'),
  listOpenPullRequests: (github) => github.listOpenPullRequests(NAME),
  listNewestOpenPullRequests: (github) => github.listNewestOpenPullRequests(NAME),
  listPullRequestCommits: (github) => github.listPullRequestCommits(PLACE),
  listReviewersSoFar: (github) => github.listReviewersSoFar(PLACE),
  listApprovers: (github) => github.listApprovers(PLACE),
  listReviewComments: (github) => github.listReviewComments({ ...COMMENT, id: 9, kind: 'review' }),
  listTags: (github) => github.listTags(NAME),
  readChecks: (github) => github.readChecks(NAME, commit('c'), OWN_RUN),
  readCommit: (github) => github.readCommit(NAME, commit('c')),
  readComment: (github) => github.readComment(PLACE, 5),
  readPullRequest: (github) => github.readPullRequest(PLACE),
  requestReview: (github) => github.requestReview(PLACE, 'acme/writers'),
  mayWrite: (github) => github.mayWrite(NAME, { id: 1, login: 'mona' }),
} satisfies Readonly<Record<keyof Omit<Resources, 'readJobLog'>, Question>>

const codeOf = (error: Error): string => (error instanceof ActionError ? error.code : `${error.name} ${error.message}`)

test.each(Object.entries<Question>(ASK))('%s gives what it promises, or is a bad answer', async (_name, ask) => {
  const wrong: string[] = []
  let [mutants, sample]: [number, unknown] = [0, undefined]
  for await (const [what, answer] of mutate(world({}), ask)) {
    if (mutants++ === 0) sample = answer
    const problem = answer instanceof Error ? codeOf(answer) : misfit(answer, sample)
    if (problem !== undefined && problem !== 'bad-answer') wrong.push(`${what}: ${problem}`)
  }
  expect(wrong).toEqual([])
  expect(mutants).toBeGreaterThan(5)
})

/** What must not be gained by a field of another kind, in a world where it is not there. */
const never = <T>(
  what: string,
  ask: (github: GitHub) => Promise<T>,
  isGained: (answer: T) => boolean,
  fields: Partial<RepositoryState> = {},
) => [what, async (github: GitHub) => isGained(await ask(github)), fields] as const
const isNone = ({ length }: readonly unknown[]): boolean => length === 0
const isOpen = ({ state }: { readonly state: string }): boolean => state === 'open'

test.each([
  never('somebody who may only read may write', ASK.mayWrite, Boolean, { collaborators: { mona: 'read' } }),
  never(
    'another person with that login may write',
    (github) => github.mayWrite(NAME, { id: 99, login: 'mona' }),
    Boolean,
  ),
  never('a stranger is believed', ASK.listComments, (all) => all.some(({ author }) => author === 'trusted'), {
    pulls: pulls({ comments }),
  }),
  never('a closed pull request is open', ASK.readPullRequest, isOpen, {
    pulls: pulls({ state: 'closed', draft: true }),
  }),
  never('a draft is open', ASK.readPullRequest, isOpen, { pulls: pulls({ draft: true }) }),
  never('what conflicts can be merged', ASK.readPullRequest, ({ mergeable }) => mergeable === true, {
    pulls: pulls({ conflict: true }),
  }),
  never('an open pull request is overlooked', ASK.listOpenPullRequests, isNone),
  never('a new one is overlooked', ASK.listNewestOpenPullRequests, ({ pullRequests }) => isNone(pullRequests)),
  never('a pull request that brought a commit is overlooked', ASK.findPullRequestsOfCommit, isNone),
  never('a commit is overlooked', ASK.listPullRequestCommits, isNone),
  never(
    'a place of a changed file is overlooked',
    ASK.compare,
    ({ files, fileList }) => fileList === 'whole' && files[0]?.previousPath !== 'a.md',
  ),
  never('failing checks have passed', ASK.readChecks, (all) => all.every(({ state }) => state === 'success')),
  ...[{ headRepository: 'fork/docs' }, { event: 'pull_request' }, { actor: 'dependabot[bot]' }].map((fields) => {
    const what = `a run with ${JSON.stringify(fields)} is a success of the branch`
    return never(what, ASK.findLastSuccesses, ({ length }) => length > 0, { workflowRuns: [run(fields)] })
  }),
])('whatever an answer holds, it never comes out that %s', async (_what, isGained, fields) => {
  const gained: string[] = []
  for await (const [what, answer] of mutate(world(fields), isGained)) if (answer === true) gained.push(what)
  expect(gained).toEqual([])
})
