import type { CommentAddress } from '../src/github/comments.ts'
import { commit } from './github-state.ts'
import { readRun, RUN_FACTS, type GivenRun } from './given-run.ts'

export const EVENT_NAMES = ['issue_comment', 'pull_request_review_comment', 'pull_request_review'] as const

export interface CommentEventFields {
  readonly eventName?: string
  readonly action?: string
  readonly body?: string | null
  readonly author?: { readonly login: string; readonly id: number; readonly type: string } | null
  readonly app?: object | null
  /** For an `issue_comment` only: the other events are always on a pull request. */
  readonly isOnPullRequest?: boolean
  readonly number?: number
  readonly state?: 'open' | 'closed'
  /** The description of the issue or the pull request. */
  readonly text?: string
  readonly fields?: object
}

export const MONA = { login: 'mona', id: 1, type: 'User' }

export const COMMENT: CommentAddress = {
  repository: 'acme/docs',
  number: 7,
  kind: 'comment',
  id: 71,
  threadId: 71,
  isOnPullRequest: true,
  writtenAt: '2026-01-01T00:00:00Z',
}

export function commentFacts(event: CommentEventFields = {}): GivenRun {
  const { eventName = 'issue_comment', body = '/docs Shorten it.', author = MONA, app = null } = event
  const { isOnPullRequest = true, number = 7, state = 'open', text = 'About it.', fields = {} } = event
  const isReview = eventName === 'pull_request_review'
  const { action = isReview ? 'submitted' : 'created' } = event
  const at = '2026-01-01T00:00:00Z'
  const entry = { id: 71, user: author, body, author_association: 'CONTRIBUTOR', ...fields }
  const subject = { number, title: 'Guide', body: text, state }
  const place = { path: 'docs/guide.md', start_line: 3, line: 5, diff_hunk: '@@ -1 +1 @@\n-a\n+b' }
  const pull_request = { ...subject, base: { sha: commit('a') }, head: { sha: commit('b') } }
  const payloads: Readonly<Record<string, object>> = {
    issue_comment: {
      issue: { ...subject, ...(isOnPullRequest ? { pull_request: { url: 'x', merged_at: null } } : {}) },
      comment: { ...entry, created_at: at, performed_via_github_app: app },
    },
    pull_request_review_comment: {
      pull_request,
      comment: { ...place, created_at: at, performed_via_github_app: app, ...entry },
    },
    pull_request_review: { pull_request, review: { ...entry, submitted_at: at, performed_via_github_app: app } },
  }
  const payload = { action, ...payloads[eventName] }
  return readRun({ ...RUN_FACTS, eventName, payload, serverUrl: 'https://git.example.com' })
}
