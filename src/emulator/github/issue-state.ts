export interface Reaction {
  readonly id: number
  readonly user: string
  readonly content: string
  readonly createdAtMs: number
}

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const

export interface StoredComment {
  readonly id: number
  readonly user: string
  body: string
  readonly createdAtMs: number
  updatedAtMs?: number
  /** Overrides the association that is derived from the collaborators. */
  readonly association?: string
  readonly reactions: Reaction[]
}

/** A label that somebody has added. */
export interface LabelEvent {
  readonly id: number
  readonly label: string
  readonly user: string
  readonly atMs: number
}

export interface IssueState {
  title: string
  body: string
  readonly user: string
  state: 'open' | 'closed'
  locked: boolean
  readonly labels: string[]
  readonly labelEvents: LabelEvent[]
  readonly assignees: string[]
  readonly comments: StoredComment[]
  readonly reactions: Reaction[]
  readonly createdAtMs: number
  updatedAtMs: number
  closedAtMs: number | undefined
}

export function createIssueState(fields: Partial<IssueState> = {}): IssueState {
  return {
    title: 'Update the docs',
    body: '',
    user: 'mona',
    state: 'open',
    locked: false,
    labels: [],
    labelEvents: [],
    assignees: [],
    comments: [],
    reactions: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    closedAtMs: undefined,
    ...fields,
  }
}
