import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { wireTime } from '../../src/emulator/github/reply.ts'
import { pushCommit, writeComment } from '../../src/emulator/github/repository-events.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { userBody } from '../../src/emulator/github/resource-body.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'

type Texts = Readonly<Record<string, string>>

export interface WorkflowRun {
  readonly id: number
  /** For people; empty if there is but one run. */
  readonly title: string
  /** Besides those of every run. */
  readonly inputs: Texts
  readonly eventName: 'push' | 'issue_comment'
  readonly event: object
  /** The newest commit of the default branch. */
  readonly headSha: string
}

interface Happening extends Pick<WorkflowRun, 'title'>, Partial<Pick<WorkflowRun, 'inputs'>> {
  readonly happen?: (state: GitHubState, docs: RepositoryState, atMs: number) => void
}

/** The world has runs with smaller numbers. */
const FIRST_RUN = 42

/** The comment itself is the instruction, whatever was changed: another workflow takes the comments. */
export const ASKED: Texts = { command: '/docs', prompt: '', 'change-range': '', paths: '' }

const push = (message: string, filename: string, line: string): Happening => ({
  title: `mona pushes to main: ${message}`,
  happen(_state, docs, atMs) {
    const files = [{ filename, patch: `@@ -1 +1,2 @@\n // Acme\n+${line}` }]
    pushCommit(docs, docs.defaultBranch, { message, author: MAINTAINER, files }, atMs)
  },
})

const COMMENT = '/docs Mention both flags on the first page.'

/** Three pushes and a comment, each of which a run tells the agent of the one pull request. */
const ROLLING: readonly Happening[] = [
  { title: 'mona pushes to main: Add the --dry-run flag to deploy' },
  push('Print JSON with --json', 'src/output.ts', 'export const json = JSON.stringify'),
  {
    title: `mona comments on the pull request: ${COMMENT}`,
    inputs: ASKED,
    happen(state, { pulls }, atMs) {
      const pull = Object.values(pulls).find(({ labels }) => labels.length > 0)
      if (pull !== undefined) writeComment(state, pull, MAINTAINER, COMMENT, atMs)
    },
  },
  push('Retry a deploy that fails', 'src/retry.ts', 'export const retries = 3'),
]

/** The push of the newest change, as GitHub tells it to a workflow that runs on it. */
function pushEvent({ tags, defaultBranch }: RepositoryState, url: string, after: string): object {
  const before = Object.values(tags).at(-1)
  return {
    ref: `refs/heads/${defaultBranch}`,
    before,
    after,
    compare: `${url}/acme/docs/compare/${before}...${after}`,
    repository: { default_branch: defaultBranch },
    commits: [{ id: after, author: { username: MAINTAINER }, committer: { username: MAINTAINER } }],
    sender: { login: MAINTAINER, type: 'User' },
  }
}

/** What somebody asks for in a comment on a pull request, as GitHub tells it to a workflow; undefined if nobody does. */
function commentEvent(state: GitHubState, { pulls, defaultBranch }: RepositoryState, url: string): object | undefined {
  const [found] = Object.entries(pulls).flatMap(([number, pull]) =>
    pull.comments.filter(({ body }) => body.startsWith('/docs ')).map((comment) => ({ number, pull, comment })),
  )
  if (found === undefined) return undefined
  const { number, pull, comment } = found
  const user = userBody(state, comment.user)
  const address = `${url}/acme/docs/pull/${number}#issuecomment-${comment.id}`
  const { title, body } = pull
  return {
    action: 'created',
    issue: { number: Number(number), title, body, state: pull.state, pull_request: {} },
    comment: { id: comment.id, body: comment.body, user, html_url: address, created_at: wireTime(comment.createdAtMs) },
    repository: { default_branch: defaultBranch },
    sender: user,
  }
}

/**
 * The runs of the workflow, one after the other. What leads to a run happens when it begins.
 * @param isRolling whether several make one pull request
 */
export function runsOf(
  isRolling: boolean,
): readonly ((state: GitHubState, url: string, nowMs: number) => WorkflowRun)[] {
  const happenings: readonly Happening[] = isRolling ? ROLLING : [{ title: '' }]
  return happenings.map(({ title, inputs = {}, happen }, index) => (state, url, nowMs) => {
    const { 'acme/docs': docs } = state.repositories
    if (docs === undefined) throw new Error('The embedded GitHub has no repository of the docs.')
    happen?.(state, docs, nowMs)
    const headSha = docs.branches[docs.defaultBranch] ?? ''
    const comment = isRolling && inputs !== ASKED ? undefined : commentEvent(state, docs, url)
    const event = comment ?? pushEvent(docs, url, headSha)
    return { id: FIRST_RUN + index, title, inputs, event, eventName: comment ? 'issue_comment' : 'push', headSha }
  })
}

/** What a run that was green leaves: the next one begins behind it. */
export function noteSuccess(state: GitHubState, { id, eventName, headSha }: WorkflowRun, createdAtMs: number): void {
  const run = { id, workflow: 'docs.yml', branch: 'main', headSha, event: eventName, createdAtMs }
  if (eventName === 'push')
    state.repositories['acme/docs']?.workflowRuns.push({ ...run, status: 'completed', conclusion: 'success' })
}
