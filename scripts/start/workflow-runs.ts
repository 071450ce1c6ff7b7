import type { StoredComment } from '../../src/emulator/github/issue-state.ts'
import { MAINTAINER, mergeChange } from '../../src/emulator/github/demo-state.ts'
import { toCommentBody } from '../../src/emulator/github/comment-operations.ts'
import { toIssueBody } from '../../src/emulator/github/issue-operations.ts'
import { withRepository } from '../../src/emulator/github/reply.ts'
import { pushCommit, writeComment } from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { toUserBody } from '../../src/emulator/github/resource-body.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { createPushEvent } from '../../src/emulator/github/webhook-events.ts'

type Texts = Readonly<Record<string, string>>

export interface WorkflowRun {
  readonly id: number
  /** Empty if there is only one run. */
  readonly title: string
  /** Additional inputs of this run. */
  readonly inputs: Texts
  readonly eventName: 'push' | 'issue_comment'
  readonly event: object
  /** The newest commit of the default branch. */
  readonly headSha: string
}

interface Trigger extends Pick<WorkflowRun, 'title'>, Partial<Pick<WorkflowRun, 'inputs'>> {
  readonly trigger?: (state: GitHubState, docs: RepositoryState, atMs: number) => void
}

/** The demo repository has runs with lower ids. */
export const FIRST_RUN = 42

/** The inputs of a workflow for comments: the comment is the instruction. */
export const BY_COMMENT: Texts = { command: '/docs', prompt: '', 'change-range': '', paths: '' }

interface Change {
  readonly message: string
  readonly filename: string
  readonly line: string
}

const pushTo = (docs: RepositoryState, branch: string, { message, filename, line }: Change, atMs: number): void => {
  const files = [{ filename, patch: `@@ -1 +1,2 @@\n // Acme\n+${line}` }]
  pushCommit(docs, branch, { message, author: MAINTAINER, files }, atMs)
}

const push = (change: Change): Trigger => ({
  title: `mona pushes to main: ${change.message}`,
  trigger(_state, docs, atMs) {
    pushTo(docs, docs.defaultBranch, change, atMs)
  },
})

/** The change comes with a pull request, to which the log then refers. */
const merge = (change: Change): Trigger => ({
  title: `mona merges a pull request: ${change.message}`,
  trigger(_state, docs, atMs) {
    const branch = change.filename.replace(/\W/g, '-')
    pushTo(docs, branch, change, atMs)
    mergeChange(docs, { branch, title: change.message, isApproved: true }, atMs)
  },
})

const COMMENT = '/docs Mention both flags on the first page.'

/** Three pushes and a comment, each with a run that works on the same pull request. */
const ROLLING: readonly Trigger[] = [
  { title: 'mona merges a pull request: Add the --dry-run flag to deploy' },
  merge({
    message: 'Print JSON with --json',
    filename: 'src/output.ts',
    line: 'export const json = JSON.stringify',
  }),
  {
    title: `mona comments on the pull request: ${COMMENT}`,
    inputs: BY_COMMENT,
    trigger(state, { pulls }, atMs) {
      const pull = Object.values(pulls).find(({ labels }) => labels.length > 0)
      if (pull !== undefined) writeComment(state, pull, MAINTAINER, COMMENT, atMs)
    },
  },
  push({ message: 'Retry a deploy that fails', filename: 'src/retry.ts', line: 'export const retries = 3' }),
]

interface WrittenComment {
  readonly url: string
  /** `owner/name` */
  readonly repository: string
  readonly number: number
  readonly comment: StoredComment
}

/** The webhook payload of a comment on a pull request. */
export function createCommentEvent(
  state: GitHubState,
  docs: RepositoryState,
  { url, repository, number, comment }: WrittenComment,
): Readonly<Record<string, unknown>> {
  const pull = docs.pulls[number]
  if (pull === undefined) throw new Error(`There is no pull request #${number}.`)
  const at = { state, nowMs: comment.createdAtMs, baseUrl: url, url }
  const call = { ...withRepository(at, repository, docs), number }
  return {
    action: 'created',
    issue: toIssueBody(call, number, pull),
    comment: toCommentBody(call, comment),
    repository: { default_branch: docs.defaultBranch },
    sender: toUserBody(state, comment.user),
  }
}

/** The payload of the first comment with the command; undefined if there is none. */
function findCommentEvent(state: GitHubState, docs: RepositoryState, url: string): object | undefined {
  const [found] = Object.entries(docs.pulls).flatMap(([number, { comments }]) =>
    comments
      .filter(({ body }) => body.startsWith('/docs '))
      .map((comment) => ({ url, repository: 'acme/docs', number: Number(number), comment })),
  )
  return found === undefined ? undefined : createCommentEvent(state, docs, found)
}

/**
 * The runs of the workflow, in order. The event of a run is triggered when the run begins.
 * @param isRolling whether several runs share one pull request
 */
export function listRuns(
  isRolling: boolean,
): readonly ((state: GitHubState, url: string, nowMs: number) => WorkflowRun)[] {
  const triggers: readonly Trigger[] = isRolling ? ROLLING : [{ title: '' }]
  return triggers.map(({ title, inputs = {}, trigger }, index) => (state, url, nowMs) => {
    const { 'acme/docs': docs } = state.repositories
    if (docs === undefined) throw new Error('The embedded GitHub has no repository of the docs.')
    trigger?.(state, docs, nowMs)
    const headSha = docs.branches[docs.defaultBranch] ?? ''
    const comment = isRolling && inputs !== BY_COMMENT ? undefined : findCommentEvent(state, docs, url)
    const push = { baseUrl: url, branch: docs.defaultBranch }
    const event = comment ?? createPushEvent(state, 'acme/docs', push).payload
    return { id: FIRST_RUN + index, title, inputs, event, eventName: comment ? 'issue_comment' : 'push', headSha }
  })
}

/** Events from whose last successful run the next range begins. */
const BASE_EVENTS: readonly string[] = ['push', 'schedule', 'workflow_dispatch']

/** Records a successful run, from which the next run's range begins. */
export function noteSuccess(
  state: GitHubState,
  { id, eventName, headSha }: Pick<WorkflowRun, 'id' | 'headSha'> & { readonly eventName: string },
  createdAtMs: number,
): void {
  const { 'acme/docs': docs } = state.repositories
  if (docs === undefined || !BASE_EVENTS.includes(eventName)) return
  const run = { id, workflow: 'docs.yml', branch: docs.defaultBranch, headSha, event: eventName, createdAtMs }
  docs.workflowRuns.push({ ...run, status: 'completed', conclusion: 'success' })
}
