export interface Reaction {
  readonly id: number
  readonly user: string
  readonly content: string
  readonly createdAtMs: number
}

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const

export interface Comment {
  readonly id: number
  readonly user: string
  body: string
  readonly createdAtMs: number
  updatedAtMs?: number
  /** Overrides the association that is derived from the collaborators. */
  readonly association?: string
  /** What it referred to when it was written, such as `#12` or `acme/code#12`. */
  readonly references?: readonly string[]
  readonly reactions: Reaction[]
}

export interface IssueState {
  title: string
  body: string
  readonly user: string
  state: 'open' | 'closed'
  locked: boolean
  lockReason?: string | undefined
  readonly labels: string[]
  readonly assignees: string[]
  readonly comments: Comment[]
  readonly createdAtMs: number
  updatedAtMs: number
  closedAtMs: number | undefined
  /** Why the issue was closed, or `reopened`. */
  stateReason: 'completed' | 'not_planned' | 'reopened' | undefined
}

/** Whether the body or a comment mentions a user. */
export function isMentioned({ body, comments }: IssueState, login: string): boolean {
  const mentions = [body, ...comments.map((comment) => comment.body)].flatMap(
    (text) => text.match(/(?<![\w-])@[\w-]+/g) ?? [],
  )
  return mentions.some((mention) => mention.toLowerCase() === `@${login.toLowerCase()}`)
}

/** @param login a user, `*` for any assignee, or `none` for no assignee */
export function isAssignedTo({ assignees }: IssueState, login: string): boolean {
  if (login === '*') return assignees.length > 0
  if (login === 'none') return assignees.length === 0
  return assignees.some((assignee) => assignee.toLowerCase() === login.toLowerCase())
}

export function createIssueState(fields: Partial<IssueState> = {}): IssueState {
  return {
    title: 'Update the docs',
    body: '',
    user: 'mona',
    state: 'open',
    locked: false,
    labels: [],
    assignees: [],
    comments: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    closedAtMs: undefined,
    stateReason: undefined,
    ...fields,
  }
}
