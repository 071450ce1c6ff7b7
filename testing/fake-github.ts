import { parseEvent } from '../src/github/event.ts'
import type { GitHub, Resources } from '../src/github/github.ts'
import type { ChangedFile, Comparison, PullRequestCommit } from '../src/github/commits.ts'
import type { ListedPullRequest, PullRequest } from '../src/github/pull-requests.ts'
import type { Context } from '../src/action/step.ts'
import { ActionError, type ErrorCode } from '../src/runtime/errors.ts'
import { commit } from './github-state.ts'

export interface FakeGitHub extends GitHub {
  /** The calls in order, such as `readPullRequest`. */
  readonly calls: string[]
}

export const PULL_REQUEST: PullRequest = {
  repository: 'acme/docs',
  number: 7,
  visibility: 'public',
  title: 'Explain the limits',
  text: 'The limits were not explained.',
  state: 'open',
  author: { login: 'docs-agent[bot]', type: 'Bot' },
  branch: 'agent/guide',
  headSha: commit('c'),
  baseRef: 'main',
  baseSha: commit('a'),
  mergeCommitSha: '',
  mergedBy: { login: '', type: '' },
  labels: ['docs-agent'],
  mergeable: true,
  isBlocked: false,
  isBehind: false,
  isAutoMergeOn: false,
}

type GivenCommit = Partial<PullRequestCommit> & Pick<PullRequestCommit, 'sha'>

/** Creates a commit, by default by the agent and on top of commit `a`. */
export function pullCommit(fields: GivenCommit): PullRequestCommit {
  const { account = PULL_REQUEST.author, author = '' } = fields
  const writtenBy = account.login === '' ? author : account.login
  return {
    message: 'Change',
    author,
    account,
    writtenBy,
    committedBy: fields.writtenBy ?? writtenBy,
    committerLogin: account.login,
    writtenAt: `2026-01-01T00:00:00Z ${fields.sha}`,
    parents: [commit('a')],
    ...fields,
  }
}

/** Creates commits, by default by the agent and each on top of the previous one. */
export const pullCommits = (...given: readonly GivenCommit[]): PullRequestCommit[] =>
  given.map((fields, index) => pullCommit({ parents: [given[index - 1]?.sha ?? commit('a')], ...fields }))

/** Creates a merged pull request, as GitHub lists it for a commit. */
export const mergedBy = (number: number, ...labels: readonly string[]): ListedPullRequest => ({
  number,
  title: PULL_REQUEST.title,
  labels,
  state: 'merged',
  branch: 'agent/guide',
  isOfFork: false,
  author: PULL_REQUEST.author,
})
/** The history comment of `PULL_REQUEST`. */
export const MARKER = {
  id: 1,
  body: '<!-- docs-agent-action: {"v":1,"job":"job_1","labels":["docs-agent"],"followUps":0,"rows":[],"dropped":0} -->\n',
  author: 'trusted',
  ageMs: 60_000,
} as const

export const changedFile = (path: string): ChangedFile => ({
  path,
  status: 'modified',
  previousPath: undefined,
  additions: 1,
  deletions: 0,
  patch: '+x',
})

/** A comparison with one commit by a person that changes the guide. */
export const COMPARISON: Comparison = {
  relation: 'ahead',
  mergeBase: commit('a'),
  commits: [{ sha: commit('b'), message: 'Change the guide', author: 'Ann', account: { login: 'ann', type: 'User' } }],
  totalCommits: 1,
  files: [changedFile('docs/guide.md')],
  fileList: 'complete',
}
export const comparing = (fields: Partial<Comparison>): Pick<GitHub, 'compare'> => ({
  compare: () => Promise.resolve({ ...COMPARISON, ...fields }),
})

/**
 * Creates a GitHub with one pull request, which has a marker comment. A test replaces the methods that matter to it.
 */
export function fakeGitHub(responses: Partial<GitHub> = {}): FakeGitHub {
  const calls: string[] = []
  let commentBody: string = MARKER.body
  const usual: Resources = {
    compare: () => Promise.resolve(COMPARISON),
    findSuccesses: () => Promise.resolve({ before: commit('a') }),
    findLastChange: () => Promise.resolve(undefined),
    listTags: () => Promise.resolve([]),
    findPullRequestsOfCommit: () => Promise.resolve([]),
    listUpdatedPullRequests: () => Promise.resolve({ pullRequests: [], completeSince: '' }),
    listNewestPullRequests: () => Promise.resolve([]),
    listOpenPullRequests: () => Promise.resolve([]),
    readPullRequest: () => Promise.resolve(PULL_REQUEST),
    listComments: () => Promise.resolve([MARKER]),
    listCommitsDownTo: () => Promise.resolve({ commits: [], hasBase: true }),
    listCommitsBetween: () => Promise.resolve([]),
    listPullRequestCommits: () => Promise.resolve(pullCommits({ sha: commit('c') })),
    addLabel: () => Promise.resolve(),
    hasAddedLabel: () => Promise.resolve(false),
    addComment: (_place, body) => {
      commentBody = body
      return Promise.resolve(MARKER.id)
    },
    editComment: (_place, _id, body) => {
      commentBody = body
      return Promise.resolve()
    },
    readComment: () => Promise.resolve({ body: commentBody }),
    readChecks: () => Promise.resolve({ checks: [{ name: 'build', state: 'success' }], isComplete: false }),
    mayWrite: () => Promise.resolve(true),
    listApprovers: () => Promise.resolve([]),
    requestReviews: () => Promise.resolve(),
    labelExists: () => Promise.resolve(true),
    createLabel: () => Promise.resolve(),
    addEyesToPullRequest: () => Promise.resolve(),
    addEyes: () => Promise.resolve(),
    listReviewComments: () => Promise.resolve([]),
    listAnnotations: () => Promise.resolve([]),
    readJobLog: () => Promise.resolve(''),
  }
  const github: Resources = { ...usual, ...responses }
  const recording = Object.entries(github).map(([name, method]) => [
    name,
    (...args: never[]) => {
      calls.push(name)
      return (method as (...args: never[]) => unknown)(...args)
    },
  ])
  const recorded = Object.fromEntries(recording) as Resources
  return { ...recorded, atEnd: () => recorded, calls }
}

/** Returns the results in order, and the last one for all later calls. */
export function resolveInOrder<T>(...results: readonly (T | ActionError)[]): () => Promise<T> {
  let next = 0
  return () => {
    const result = results[Math.min(next++, results.length - 1)]
    return result instanceof ActionError ? Promise.reject(result) : Promise.resolve(result as T)
  }
}

export const createGitHubError = (code: ErrorCode, hint?: string): ActionError =>
  new ActionError(code, `GitHub said ${code}.`, {
    ...(hint !== undefined && { hint }),
    ...(hint?.startsWith('Grant ') && { lacksPermissionIn: 'acme/docs' }),
  })

export const rejectWith = (error: ActionError) => (): Promise<never> => Promise.reject(error)

/** A run with the raw payload of its event. */
export interface GivenRun extends Context {
  readonly payload: unknown
}

/** Returns the run with the event that its payload describes. */
export const readRun = (run: GivenRun): GivenRun => ({
  ...run,
  event: parseEvent(run.eventName, run.payload, run.actor),
})

export const RUN_FACTS: GivenRun = {
  eventName: 'workflow_dispatch',
  payload: {},
  event: parseEvent('workflow_dispatch', {}, 'ann'),
  actor: 'ann',
  sha: commit('b'),
  refName: 'main',
  repository: 'acme/docs',
  runId: 42,
  runAttempt: 1,
  workflowJob: 'docs',
  stepId: 'agent',
  runnerStepId: 'agent',
  workflow: 'docs.yml',
  serverUrl: 'https://github.com',
  apiUrl: 'https://api.github.com',
  isRehearsal: false,
}

export const PUSH = {
  ref: 'refs/heads/main',
  before: commit('a'),
  after: commit('b'),
  repository: { default_branch: 'main' },
  commits: [{ id: commit('b'), author: { username: 'ann' }, committer: { username: 'ann' } }],
  sender: { login: 'ann', type: 'User' },
}
