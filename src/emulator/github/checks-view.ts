import type { RepositoryState } from './repository-state.ts'
import { hasPassed, statusOf } from './suite-view.ts'

/** A check of a commit, as a page shows it. */
export interface ShownCheck {
  readonly name: string
  /** Who checks. */
  readonly app: string
  readonly state: 'queued' | 'running' | 'passed' | 'failed'
  /** What it found, a line each. */
  readonly findings: readonly string[]
}

/** The check runs and the commit statuses of a commit by now, the newest of each name. */
export function checksOf({ checkRuns, statuses }: RepositoryState, sha: string, nowMs: number): readonly ShownCheck[] {
  const isThere = (item: { headSha: string; createdAtMs: number }): boolean =>
    item.headSha === sha && item.createdAtMs <= nowMs
  const runs = checkRuns.filter(isThere).map((run): ShownCheck => {
    const { name, app, title, summary, annotations = [] } = run
    const status = statusOf(run, nowMs)
    if (status !== 'completed')
      return { name, app, state: status === 'in_progress' ? 'running' : 'queued', findings: [] }
    const notes = annotations.map(({ path, start_line, message }) => `${path}:${start_line}: ${message}`)
    const findings = [title, summary, ...notes].filter((text) => text !== undefined)
    return { name, app, state: hasPassed(run) ? 'passed' : 'failed', findings }
  })
  const reported = statuses.filter(isThere).map(({ context, state, description }): ShownCheck => {
    const shown = { success: 'passed', pending: 'running', failure: 'failed', error: 'failed' } as const
    return {
      name: context,
      app: 'status',
      state: shown[state],
      findings: description === undefined ? [] : [description],
    }
  })
  return [...new Map([...runs, ...reported].map((check) => [`${check.app} ${check.name}`, check])).values()]
}
