import { SOURCE } from '../service/job-body.ts'
import { startChecks } from './start-checks.ts'
import { addAgentHistory } from './demo-history.ts'
import type { GitHubScenario } from './github-scenarios.ts'
import { editOnWeb, mergePull, openPull, pushCommit, takeNumber } from './repository-changes.ts'
import { type RepositoryState, createRepositoryState, WEB_FLOW } from './repository-state.ts'
import type { GitHubState } from './state.ts'

/** The token of the embedded GitHub. It is public: it works nowhere else. */
export const GITHUB_TOKEN = 'ghs_emulator0123456789abcdef'
/** The user of the token, the same as for a workflow's `GITHUB_TOKEN`. */
export const TOKEN_USER = 'github-actions[bot]'
/** The author of the agent's pull requests. */
export const AGENT_USER = 'docs-agent[bot]'
/** The author of the agent's pull requests if the agent's account is of type `User`. */
export const AGENT_PERSON = 'docs-agent'
/** A user with write access, who merges pull requests. */
export const MAINTAINER = 'mona'
/** A user with write access, who reviews pull requests. */
export const REVIEWER = 'lisa'
/** A user without write access. */
export const OUTSIDER = 'dora'
export const BOT = 'link-checker[bot]'

export const getAgentLogin = ({ agentType }: Pick<GitHubScenario, 'agentType'>): string =>
  agentType === 'User' ? AGENT_PERSON : AGENT_USER

const DAY_MS = 86_400_000

const FLAG = `@@ -1 +1,2 @@
 export const flags = ['--force']
+export const dryRun = '--dry-run'`

/** For a file whose content is unknown. */
const LINE = '@@ -0,0 +1 @@\n+This line is the change of a rehearsal.'
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

/** The changes of the files, by name. By default of one file. */
const createPatches = (changedFiles: readonly string[]): Readonly<Record<string, string>> =>
  changedFiles.length === 0 ? { 'src/deploy.ts': FLAG } : Object.fromEntries(changedFiles.map((file) => [file, LINE]))

/**
 * Opens a fake of a pull request that only the real repository has.
 * @param changedFiles by default one file
 */
export function openFakePull(
  repository: RepositoryState,
  number: number,
  startMs: number,
  changedFiles: readonly string[] = [],
): void {
  const atMs = startMs - DAY_MS
  const [branch, title] = [`change-${number}`, `Change ${changedFiles[0] ?? 'src/deploy.ts'}`]
  const files = Object.entries(createPatches(changedFiles)).map(([filename, patch]) => ({ filename, patch }))
  pushCommit(repository, branch, { message: title, author: MAINTAINER, files }, atMs)
  openPull(repository, number, { branch, title, user: MAINTAINER }, atMs)
}

/**
 * Creates a repository with code, docs, two tags, and a later change that is not documented yet.
 * @param addHistory adds what happened between the last tag and that change
 */
function createDemoRepository(
  id: number,
  startMs: number,
  newest: GitHubScenario['change'] = 'pushed',
  changedFiles: readonly string[] = [],
  addHistory: (repository: RepositoryState) => void = () => undefined,
  defaultBranch = 'main',
): RepositoryState {
  const collaborators = { [MAINTAINER]: 'maintain', [REVIEWER]: 'write' } as const
  const people = { collaborators: { ...collaborators }, teams: ['writers'] }
  const repository = createRepositoryState({ id, ...people, labels: ['documentation'], defaultBranch })
  const pushChange = (
    daysAgo: number,
    message: string,
    patches: Readonly<Record<string, string>>,
    branch = repository.defaultBranch,
    how: 'pushed' | 'edited-on-web' | 'pushed-by-colleague' = 'pushed',
  ): string => {
    const files = Object.entries(patches).map(([filename, patch]) => ({ filename, patch }))
    const atMs = startMs - daysAgo * DAY_MS
    const commit = { message, author: how === 'pushed-by-colleague' ? REVIEWER : MAINTAINER, files }
    if (how === 'edited-on-web') return editOnWeb(repository, branch, commit, atMs).sha
    return pushCommit(repository, branch, { ...commit, by: MAINTAINER }, atMs).sha
  }
  repository.tags['v1.0.0'] = pushChange(30, 'Begin', {
    'docs/index.md': '@@ -0,0 +1 @@\n+# Acme',
    'src/deploy.ts': "@@ -0,0 +1 @@\n+export const flags = ['--force']",
  })
  const second = pushChange(10, 'Describe deploying', { 'docs/deploy.md': '@@ -0,0 +1 @@\n+# Deploy' })
  repository.tags['v1.1.0'] = second
  addHistory(repository)
  const [title, branch] = ['Add the --dry-run flag to deploy', 'dry-run']
  const isMerged = newest === 'reviewed' || newest === 'labelled' || newest === 'partly-labelled'
  const patches = createPatches(changedFiles)
  if (isMerged) pushChange(1, title, patches, branch)
  else pushChange(1, title, patches, undefined, newest)
  const merged = newest === 'reviewed' ? { branch, title, isApproved: true } : { branch, title, label: NO_DOCS }
  if (isMerged) mergeChange(repository, merged, startMs - DAY_MS)
  if (newest === 'partly-labelled') pushChange(0.5, 'Print JSON with --json', { 'src/output.ts': JSON_OUTPUT })
  const run = { workflow: 'docs.yml', branch: defaultBranch, status: 'completed', conclusion: 'success' } as const
  repository.workflowRuns.push(
    { ...run, id: 31, headSha: second, event: 'push', createdAtMs: startMs - 9 * DAY_MS },
    // A run of a fork: the `branch` filter also matches it, but the action must not use it as a base.
    {
      ...run,
      id: 32,
      headSha: repository.branches[defaultBranch] ?? '',
      event: 'push',
      headRepository: `${OUTSIDER}/docs`,
      createdAtMs: startMs - DAY_MS,
    },
  )
  return repository
}

/**
 * Creates GitHub's state at the start of the service, with the agent's repository and a second one.
 * @param changedFiles the files of the newest change; by default one file
 * @param branch the default branch of the agent's repository
 */
export function createDemoState(
  { agentType, permissions, lag, checks, checksBefore, change, hasHistory }: GitHubScenario,
  startMs: number,
  changedFiles: readonly string[] = [],
  branch = 'main',
): GitHubState {
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
      [AGENT_PERSON]: { id: 23, type: 'User' },
      [BOT]: { id: 22, type: 'Bot' },
      [WEB_FLOW]: { id: 19864447, type: 'User' },
    },
    repositories: {},
    checkPlans: checks,
    lag,
    lastId: 1_000,
  }
  const people = { agent: AGENT_USER, workflows: TOKEN_USER, reviewer: REVIEWER }
  const addHistory = (repository: RepositoryState): void => {
    if (hasHistory) addAgentHistory(state, repository, people, startMs)
  }
  const docs = createDemoRepository(1, startMs, change, changedFiles, addHistory, branch)
  state.repositories[SOURCE.repository] = docs
  state.repositories['acme/code'] = createDemoRepository(2, startMs)
  const headSha = docs.branches[branch] ?? ''
  if (agentType === 'User') docs.collaborators[AGENT_PERSON] = 'write'
  startChecks(state, docs, { branch, headSha, event: 'push', by: MAINTAINER }, checksBefore, startMs - DAY_MS)
  return state
}
