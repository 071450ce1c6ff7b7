import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { pushCommit, writeComment } from '../../src/emulator/github/repository-events.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'

/** What happens on GitHub before a run of the workflow begins. */
interface Happening {
  /** For people; empty if there is but one run. */
  readonly title: string
  /** @param atMs in milliseconds since 1970 */
  readonly happen: (state: GitHubState, atMs: number) => void
  /** Besides those of every run. */
  readonly inputs?: Readonly<Record<string, string>>
}

const push = (message: string, filename: string, line: string): Happening => ({
  title: `mona pushes to main: ${message}`,
  happen(state, atMs) {
    const { 'acme/docs': docs } = state.repositories
    const files = [{ filename, patch: `@@ -1 +1,2 @@\n // Acme\n+${line}` }]
    if (docs !== undefined) pushCommit(docs, docs.defaultBranch, { message, author: MAINTAINER, files }, atMs)
  },
})

const COMMENT = '/docs Mention both flags on the first page.'

const comment: Happening = {
  title: `mona comments on the pull request: ${COMMENT}`,
  happen(state, atMs) {
    const pulls = Object.values(state.repositories['acme/docs']?.pulls ?? {})
    const pull = pulls.find(({ labels }) => labels.length > 0)
    if (pull !== undefined) writeComment(state, pull, MAINTAINER, COMMENT, atMs)
  },
  // Another workflow takes the comments.
  inputs: { command: '/docs', prompt: '', 'change-range': '', paths: '' },
}

/** Three pushes and a comment, each of which a run tells the agent of the one pull request. */
const ROLLING: readonly Happening[] = [
  { title: 'mona pushes to main: Add the --dry-run flag to deploy', happen: () => undefined },
  push('Print JSON with --json', 'src/output.ts', 'export const json = JSON.stringify'),
  comment,
  push('Retry a deploy that fails', 'src/retry.ts', 'export const retries = 3'),
]

const nothing: Happening = { title: '', happen: () => undefined }

/** What begins each run of the workflow. */
export const happeningsOf = (isRolling: boolean): readonly Happening[] => (isRolling ? ROLLING : [nothing])

/** What a run that was green leaves: the next one begins behind it. */
export function noteSuccess(state: GitHubState, runId: number, headSha: string, createdAtMs: number): void {
  state.repositories['acme/docs']?.workflowRuns.push({
    ...{ id: runId, workflow: 'docs.yml', branch: 'main', headSha, event: 'push', createdAtMs },
    ...{ status: 'completed', conclusion: 'success' },
  })
}
