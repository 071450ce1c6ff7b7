import { SOURCE } from '../service/job-body.ts'
import { startChecks } from './check-plan.ts'
import type { GitHubScenario } from './github-scenarios.ts'
import { mergePull, openPull, pushCommit, takeNumber } from './repository-changes.ts'
import { type RepositoryState, createRepositoryState } from './repository-state.ts'
import type { GitHubState } from './state.ts'

/** The token of the embedded GitHub. It is public: it works nowhere else. */
export const GITHUB_TOKEN = 'ghs_emulator0123456789abcdef'
/** The user of the token, the same as for a workflow's `GITHUB_TOKEN`. */
export const TOKEN_USER = 'github-actions[bot]'
/** The author of the agent's pull requests. */
export const AGENT_USER = 'docs-agent[bot]'
/** A user with write access, who merges pull requests. */
export const MAINTAINER = 'mona'
/** A user with write access, who reviews pull requests. */
export const REVIEWER = 'lisa'
/** A user without write access. */
export const OUTSIDER = 'dora'
export const BOT = 'link-checker[bot]'

const DAY_MS = 86_400_000

const FLAG = `@@ -1 +1,2 @@
 export const flags = ['--force']
+export const dryRun = '--dry-run'`

const JSON_OUTPUT = '@@ -0,0 +1 @@\n+export const json = JSON.stringify'
/** The label of pull requests that need no documentation. */
const NO_DOCS = 'no-docs'

/** Merges a branch as a pull request, optionally with a label or an approving review, and returns its number. */
export function mergeChange(
  repository: RepositoryState,
  { branch, title, label, isApproved = false }: MergedChange,
  atMs: number,
): number {
  if (label !== undefined) repository.labels.push(label)
  const number = takeNumber(repository)
  const labels = label === undefined ? [] : [label]
  const pull = openPull(repository, number, { branch, title, user: MAINTAINER, labels }, atMs)
  if (isApproved) {
    const { headSha } = pull
    pull.reviews.push({ id: number, user: REVIEWER, body: '', state: 'APPROVED', headSha, submittedAtMs: atMs })
    pull.reviewEvents.push({ id: number, event: 'reviewed', actor: REVIEWER, name: REVIEWER, atMs })
  }
  mergePull(repository, number, MAINTAINER, atMs)
  return number
}

interface MergedChange {
  readonly branch: string
  readonly title: string
  readonly label?: string
  readonly isApproved?: boolean
}

/** Creates a repository with code, docs, two releases, and a later change that is not documented yet. */
function createDemoRepository(
  id: number,
  startMs: number,
  newest: GitHubScenario['change'] = 'pushed',
): RepositoryState {
  const collaborators = { [MAINTAINER]: 'maintain', [REVIEWER]: 'write' } as const
  const people = { collaborators: { ...collaborators }, teams: ['writers'] }
  const repository = createRepositoryState({ id, ...people, labels: ['documentation'] })
  const pushChange = (
    daysAgo: number,
    message: string,
    patches: Readonly<Record<string, string>>,
    branch = repository.defaultBranch,
  ): string => {
    const files = Object.entries(patches).map(([filename, patch]) => ({ filename, patch }))
    return pushCommit(repository, branch, { message, author: MAINTAINER, files }, startMs - daysAgo * DAY_MS).sha
  }
  repository.tags['v1.0.0'] = pushChange(30, 'Begin', {
    'docs/index.md': '@@ -0,0 +1 @@\n+# Acme',
    'src/deploy.ts': "@@ -0,0 +1 @@\n+export const flags = ['--force']",
  })
  const second = pushChange(10, 'Describe deploying', { 'docs/deploy.md': '@@ -0,0 +1 @@\n+# Deploy' })
  repository.tags['v1.1.0'] = second
  const [title, branch] = ['Add the --dry-run flag to deploy', 'dry-run']
  pushChange(1, title, { 'src/deploy.ts': FLAG }, newest === 'pushed' ? undefined : branch)
  const merged = newest === 'reviewed' ? { branch, title, isApproved: true } : { branch, title, label: NO_DOCS }
  if (newest !== 'pushed') mergeChange(repository, merged, startMs - DAY_MS)
  if (newest === 'partly-labelled') pushChange(0.5, 'Print JSON with --json', { 'src/output.ts': JSON_OUTPUT })
  const run = { workflow: 'docs.yml', branch: 'main', status: 'completed', conclusion: 'success' } as const
  repository.workflowRuns.push(
    { ...run, id: 31, headSha: second, event: 'push', createdAtMs: startMs - 9 * DAY_MS },
    // A run of a fork: the `branch` filter also matches it, but the action must not use it as a base.
    {
      ...run,
      id: 32,
      headSha: repository.branches['main'] ?? '',
      event: 'push',
      headRepository: `${OUTSIDER}/docs`,
      createdAtMs: startMs - DAY_MS,
    },
  )
  return repository
}

/** Creates GitHub's state at the start of the service, with the agent's repository and a second one. */
export function createDemoState(
  { permissions, lag, checksBefore, change }: GitHubScenario,
  startMs: number,
): GitHubState {
  const docs = createDemoRepository(1, startMs, change)
  const state: GitHubState = {
    token: GITHUB_TOKEN,
    identity: TOKEN_USER,
    permissions,
    users: {
      [MAINTAINER]: { id: 11, type: 'User' },
      [OUTSIDER]: { id: 12, type: 'User' },
      [REVIEWER]: { id: 13, type: 'User' },
      [TOKEN_USER]: { id: 41898282, type: 'Bot' },
      [AGENT_USER]: { id: 21, type: 'Bot' },
      [BOT]: { id: 22, type: 'Bot' },
    },
    repositories: { [SOURCE.repository]: docs, 'acme/code': createDemoRepository(2, startMs) },
    lag,
    lastId: 1_000,
  }
  const headSha = docs.branches['main'] ?? ''
  startChecks(state, docs, { branch: 'main', headSha, event: 'push' }, checksBefore, startMs - DAY_MS)
  return state
}
