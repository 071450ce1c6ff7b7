import { MAINTAINER, mergeChange } from '../../src/emulator/github/demo-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'

/** What happens before a run of the README's workflow. Without anything, the run is about what the repository begins with. */
export interface StoryEvent {
  /** What somebody has done, such as `mona pushed: Fix it`. */
  readonly title?: string
  readonly happen?: (docs: RepositoryState, atMs: number) => void
  /** Additional inputs of the step. */
  readonly inputs?: Readonly<Record<string, string>>
  /** The text of a comment on the agent's pull request. By default of one that is there, with `BY_COMMENT`. */
  readonly comment?: string
}

/** The inputs of a workflow for comments: the comment is the instruction. */
export const BY_COMMENT = { command: '/docs', prompt: '', 'change-range': '', paths: '' } as const

/** Whether the run is about a comment. */
export const isOnComment = ({ inputs }: StoryEvent): boolean => inputs === BY_COMMENT

interface Change {
  readonly message: string
  readonly filename: string
  readonly line: string
}

const pushTo = (docs: RepositoryState, branch: string, { message, filename, line }: Change, atMs: number): void => {
  const files = [{ filename, patch: `@@ -1 +1,2 @@\n // Acme\n+${line}` }]
  pushCommit(docs, branch, { message, author: MAINTAINER, files }, atMs)
}

const push = (change: Change): StoryEvent => ({
  title: `${MAINTAINER} pushed: ${change.message}`,
  happen(docs, atMs) {
    pushTo(docs, docs.defaultBranch, change, atMs)
  },
})

/** The change comes with a pull request, to which the log then refers. */
const merge = (change: Change): StoryEvent => ({
  title: `${MAINTAINER} merged a pull request: ${change.message}`,
  happen(docs, atMs) {
    const branch = change.filename.replace(/\W/g, '-')
    pushTo(docs, branch, change, atMs)
    mergeChange(docs, { branch, title: change.message, isApproved: true }, atMs)
  },
})

/** Three changes and a comment, each with a run that works on the same pull request. */
export const ROLLING: readonly StoryEvent[] = [
  { title: `${MAINTAINER} merged a pull request: Add the --dry-run flag to deploy` },
  merge({
    message: 'Print JSON with --json',
    filename: 'src/output.ts',
    line: 'export const json = JSON.stringify',
  }),
  { inputs: BY_COMMENT, comment: '/docs Mention both flags on the first page.' },
  push({ message: 'Retry a deploy that fails', filename: 'src/retry.ts', line: 'export const retries = 3' }),
]
