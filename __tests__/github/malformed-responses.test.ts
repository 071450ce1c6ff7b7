import * as toolkit from '@actions/github'
import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/history/state.ts'
import { createGitHub } from '../../src/emulator/github/github.ts'
import { API_PATH } from '../../src/emulator/github/reply.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { ErrorResponse, type GitHubResponse } from '../../src/github/github-error.ts'
import { connectGitHub, type GitHub, type Resources } from '../../src/github/github.ts'
import type { LoadToolkit } from '../../src/github/transport.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { checkRun, commit, madeCommit } from '../../testing/github-state.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'

const NAME = 'acme/docs'
const PLACE = { repository: NAME, number: 7 }
const OWN_RUN = { serverUrl: BASE_URL, repository: NAME, runId: 1 }
const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const COMMENT = { ...PLACE, id: 5, threadId: 5, isOnPullRequest: true, writtenAt: '1970-01-01T00:00:00Z' }

const comment = (id: number, user: string) => ({ id, user, body: MARKER, createdAtMs: 0, reactions: [] })
const reviewComment = { ...comment(11, 'untrusted'), path: 'a.md', line: 3, diffHunk: '@@ -1 +1 @@', reviewId: 9 }
const requestReview = (name: string) => ({ id: 8, event: 'review_requested', actor: 'ann', name, atMs: 0 }) as const
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

const ANNOTATION = { path: 'a.md', start_line: 1, end_line: 1, title: 'Spelling', message: 'No.' }
const FAILING = { conclusion: 'failure', title: 'No', summary: 'No.' }
const createPulls = (fields: object): RepositoryState['pulls'] => ({
  7: createPullState({ branch: 'agent/guide', headSha: commit('c'), labels: ['docs-agent'], ...fields }),
})

const comments = [comment(5, 'untrusted'), comment(6, 'app[bot]')]

/** Creates a repository with data for every call. */
const createRepository = (fields: Partial<RepositoryState>): RepositoryState =>
  createRepositoryState({
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
    pulls: createPulls({
      comments,
      reviewEvents: [requestReview('mona'), requestReview('acme/writers')],
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
        ...FAILING,
        annotations: [{ ...ANNOTATION, annotation_level: 'failure' }],
      }),
    ],
    statuses: [{ headSha: commit('c'), context: 'preview', state: 'failure', createdAtMs: 0 }],
    workflowRuns: [run()],
    ...fields,
  })

interface Request {
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

/** Returns the responses of the embedded GitHub with this repository. */
function createHandler(docs: RepositoryState): (request: Request) => GitHubResponse {
  const startMs = Date.UTC(2026, 0, 1)
  const github = createGitHub({ baseUrl: BASE_URL, startMs, state: { repositories: { [NAME]: docs } } })
  return ({ method, url, body }) => {
    const request = { method, target: url.slice(BASE_URL.length), headers: { authorization: `token ${GITHUB_TOKEN}` } }
    const response = github.handle({ ...request, body: body === undefined ? '' : JSON.stringify(body) }, startMs)
    return { ...response, url, data: JSON.parse(response.body) as unknown }
  }
}

/** Loads a toolkit whose Octokit has a plugin that responds to every request. */
function respondWith(respond: (request: Request) => GitHubResponse): LoadToolkit {
  const octokit = toolkit.getOctokit(GITHUB_TOKEN, { baseUrl: `${BASE_URL}${API_PATH}` }, ({ hook, request }) => {
    hook.wrap('request', (_send, options) => {
      const response = respond(request.endpoint.parse(options))
      if (response.status >= 400) throw new ErrorResponse(response)
      return response
    })
  })
  return () => Promise.resolve({ ...toolkit, getOctokit: () => octokit })
}

/** `undefined` removes the field. */
const WRONG: readonly unknown[] = [null, 7, 'text', true, { a: 1 }, [7], undefined]
const getKind = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** Returns a copy with another value at one path. */
function replaceAt(value: unknown, [key, ...rest]: readonly string[], mutated: unknown): unknown {
  if (key === undefined) return mutated
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value)
  return Object.assign(copy, { [key]: replaceAt(copy[key], rest, mutated) })
}

/** Yields all copies of a response in which one field has another type. */
function* listMutants(
  value: unknown,
  whole = value,
  place: readonly string[] = [],
): Generator<readonly [string, unknown]> {
  for (const mutated of WRONG)
    if (getKind(mutated) !== getKind(value) || getKind(value) === 'list')
      yield [`${place.join('.')}: ${String(mutated)}`, replaceAt(whole, place, mutated)]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* listMutants(inner, whole, [...place, key])
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

/** Calls once with unchanged responses, and once for each field of each response, with that field of another type. */
async function* mutate<T>(docs: RepositoryState, perform: (github: GitHub) => Promise<T>) {
  const respond = createHandler(docs)
  const responses = new Map<string, GitHubResponse>()
  let mutated: { readonly place: string; readonly data: unknown } | undefined
  const load = respondWith((request) => {
    const place = `${request.method} ${request.url}`
    const original = responses.get(place) ?? respond(request)
    responses.set(place, original)
    return mutated?.place === place ? { ...original, data: mutated.data } : original
  })
  const github = connectGitHub(OPTIONS, undefined, load)
  yield ['nothing', await perform(github)] as const
  for (const [place, { data }] of [...responses])
    for (const [what, mutant] of listMutants(data)) {
      mutated = { place, data: mutant }
      yield [`${place}, ${what}`, await perform(github).catch((error: unknown) => error)] as const
    }
}

/** Fields that are undefined if GitHub returns nothing useful. */
const OPTIONAL =
  'commentId mergeable previousPath patch line startLine authorId waitsForApproval count needsPerson isSkipped id suiteId app title summary annotations detailsUrl pageUrl tookMs repositoryName conclusion ageMs endedAt newest lastSuccess'

/** Returns where a value has another type than the sample. */
function findMismatch(value: unknown, sample: unknown, key = ''): string | undefined {
  if (sample === undefined || (value === undefined && OPTIONAL.split(' ').includes(key))) return undefined
  if (getKind(value) !== getKind(sample)) return `${key} is ${getKind(value)}`
  if (Array.isArray(value))
    return value.map((item) => findMismatch(item, (sample as unknown[])[0], `of ${key}`)).find(Boolean)
  if (typeof sample !== 'object' || sample === null) return undefined
  const fields = value as Record<string, unknown>
  return Object.entries(sample)
    .map(([name, inner]) => findMismatch(fields[name], inner, name))
    .find(Boolean)
}

type Call = (github: GitHub) => Promise<unknown>

const CALLS = {
  addComment: async (github) => ({ commentId: await github.addComment(PLACE, 'Hello.') }),
  addEyes: (github) => github.addEyes({ ...COMMENT, kind: 'comment' }),
  addLabel: (github) => github.addLabel(PLACE, 'docs-agent'),
  hasAddedLabel: (github) => github.hasAddedLabel(PLACE, 'docs-agent'),
  compare: (github) => github.compare(NAME, 'main', 'agent/guide'),
  editComment: (github) => github.editComment(PLACE, 5, 'Hello.'),
  labelExists: (github) => github.labelExists(NAME, 'docs-agent'),
  createLabel: (github) => github.createLabel(NAME, 'new'),
  addEyesToPullRequest: (github) => github.addEyesToPullRequest(PLACE),
  findLastChange: async (github) => ({ sha: await github.findLastChange(NAME, 'docs/guide.md', 'agent/guide') }),
  findSuccesses: async (github) => {
    const query = { repository: NAME, workflow: 'docs.yml', branch: 'main', runId: 99 }
    return { lastSuccess: (await github.findSuccesses(query)).before }
  },
  findPullRequestsOfCommit: (github) => github.findPullRequestsOfCommit(NAME, commit('c')),
  listAnnotations: (github) => github.listAnnotations(NAME, 21),
  listCommitsDownTo: (github) => github.listCommitsDownTo(NAME, 'main', 'agent/guide'),
  listCommitsBetween: (github) => github.listCommitsBetween(NAME, 'main', 'agent/guide'),
  listComments: (github) => github.listComments(PLACE, isOwnComment),
  listNewestPullRequests: (github) => github.listNewestPullRequests(NAME, 'docs-agent'),
  listOpenPullRequests: (github) => github.listOpenPullRequests(NAME, 'docs-agent'),
  listPullRequestCommits: (github) => github.listPullRequestCommits(PLACE),
  listApprovers: (github) => github.listApprovers(PLACE),
  listReviewComments: (github) => github.listReviewComments({ ...COMMENT, id: 9, kind: 'review' }),
  listTags: (github) => github.listTags(NAME),
  listUpdatedPullRequests: (github) => github.listUpdatedPullRequests(NAME, 'open', ''),
  readChecks: (github) => github.readChecks(NAME, commit('c'), OWN_RUN),
  readComment: (github) => github.readComment(PLACE, 5),
  readPullRequest: (github) => github.readPullRequest(PLACE),
  requestReviews: (github) => github.requestReviews(PLACE, ['acme/writers']),
  mayWrite: (github) => github.mayWrite(NAME, { id: 1, login: 'mona' }),
} satisfies Readonly<Record<keyof Omit<Resources, 'readJobLog'>, Call>>

const getCode = (error: Error): string => (error instanceof ActionError ? error.code : `${error.name} ${error.message}`)

test.each(Object.entries<Call>(CALLS))(
  '%s returns its type, or fails with `invalid-response`',
  async (_name, perform) => {
    const mutated: string[] = []
    let [mutants, sample]: [number, unknown] = [0, undefined]
    for await (const [what, result] of mutate(createRepository({}), perform)) {
      if (mutants++ === 0) sample = result
      const problem = result instanceof Error ? getCode(result) : findMismatch(result, sample)
      if (problem !== undefined && problem !== 'invalid-response') mutated.push(`${what}: ${problem}`)
    }
    expect(mutated).toEqual([])
    expect(mutants).toBeGreaterThan(5)
  },
)

/** What no malformed field may cause, in a repository where it is false. */
const neverCauses = <T>(
  what: string,
  perform: (github: GitHub) => Promise<T>,
  isCaused: (result: T) => boolean,
  fields: Partial<RepositoryState> = {},
) => [what, async (github: GitHub) => isCaused(await perform(github)), fields] as const
const isNone = ({ length }: readonly unknown[]): boolean => length === 0
const isOpen = ({ state }: { readonly state: string }): boolean => state === 'open'

test.each([
  neverCauses('a person with read access has write access', CALLS.mayWrite, Boolean, {
    collaborators: { mona: 'read' },
  }),
  neverCauses(
    'another person with the same login has write access',
    (github) => github.mayWrite(NAME, { id: 99, login: 'mona' }),
    Boolean,
  ),
  neverCauses(
    'an untrusted comment is trusted',
    CALLS.listComments,
    (all) => all.some(({ author }) => author === 'trusted'),
    {
      pulls: createPulls({ comments }),
    },
  ),
  neverCauses('a closed pull request is open', CALLS.readPullRequest, isOpen, {
    pulls: createPulls({ state: 'closed', draft: true }),
  }),
  neverCauses('a draft is open', CALLS.readPullRequest, isOpen, { pulls: createPulls({ draft: true }) }),
  neverCauses(
    'a pull request with conflicts is mergeable',
    CALLS.readPullRequest,
    ({ mergeable }) => mergeable === true,
    {
      pulls: createPulls({ conflict: true }),
    },
  ),
  neverCauses('an open pull request is missed', CALLS.listOpenPullRequests, isNone),
  neverCauses('a pull request that introduced a commit is missed', CALLS.findPullRequestsOfCommit, isNone),
  neverCauses('a commit is missed', CALLS.listPullRequestCommits, isNone),
  neverCauses(
    'the old path of a renamed file is missed',
    CALLS.compare,
    ({ files, fileList }) => fileList === 'complete' && files[0]?.previousPath !== 'a.md',
  ),
  neverCauses('failing checks have passed', CALLS.readChecks, ({ checks }) =>
    checks.every(({ state }) => state === 'success'),
  ),
  ...[{ headRepository: 'fork/docs' }, { event: 'pull_request' }, { actor: 'dependabot[bot]' }].map((fields) => {
    const what = `a run with ${JSON.stringify(fields)} is a success of the branch`
    return neverCauses(what, CALLS.findSuccesses, ({ lastSuccess }) => lastSuccess !== undefined, {
      workflowRuns: [run(fields)],
    })
  }),
])('no malformed field means that %s', async (_what, isCaused, fields) => {
  const caused: string[] = []
  for await (const [what, result] of mutate(createRepository(fields), isCaused)) if (result === true) caused.push(what)
  expect(caused).toEqual([])
})
