import { closeIssue, mergePull, openPull, pushCommit, takeNumber, writeComment } from './repository-changes.ts'
import type { PullState } from './pull-state.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

const DAY_MS = 86_400_000
const LABEL = 'docs-agent'

/** Logins. */
interface People {
  readonly agent: string
  /** The author of history comments. */
  readonly workflows: string
  readonly reviewer: string
}

/** What a turn of the agent did, in a row of the history comment. */
interface Turn {
  readonly daysAgo: number
  readonly outcome?: 'pull-request' | 'failed'
  readonly effect: 'created' | 'updated' | 'unchanged' | 'unknown'
  readonly result: string
}

const RESULTS = { opened: 'opened', updated: '1 new commit', unchanged: 'no new commits', failed: 'the job failed' }

/** Renders a history comment as the action writes it, without its table. */
function renderHistory(job: string, turns: readonly Turn[], startMs: number): string {
  const rows = turns.map(({ daysAgo, outcome = 'pull-request', effect, result }, index) => {
    const atMs = startMs - daysAgo * DAY_MS
    const toIso = (ms: number): string => new Date(ms).toISOString()
    const [start, end, until] = [toIso(atMs), toIso(atMs + 240_000), toIso(atMs + 3_600_000)]
    const key = { run: 20 + index, attempt: 1, job: 'docs', action: 'docs', turn: 0, start, until, end }
    const startedBy = { text: 'push to `main` by `mona`' }
    return { ...key, startedBy, outcome, result, effect, sources: [] }
  })
  const state = { v: 1, job, labels: [LABEL], followUps: turns.length - 1, rows, dropped: 0 }
  return `<!-- docs-agent-action: ${JSON.stringify(state)} -->\n\nThe docs agent opened this pull request.`
}

/** Adds ten days of pull requests of the agent, one of each that a report distinguishes. */
export function addAgentHistory(state: GitHubState, docs: RepositoryState, people: People, startMs: number): void {
  const { agent, workflows, reviewer } = people
  const at = (daysAgo: number): number => startMs - daysAgo * DAY_MS
  if (!docs.labels.includes(LABEL)) docs.labels.push(LABEL)

  const push = (branch: string, message: string, author: string, filename: string, daysAgo: number): void => {
    const patch = `@@ -0,0 +1 @@\n+${message}`
    pushCommit(docs, branch, { message, author, files: [{ filename, patch }] }, at(daysAgo))
  }
  const open = (title: string, daysAgo: number, fields: Partial<PullState> = {}): PullState => {
    const number = takeNumber(docs)
    const branch = `agent/docs-${number}`
    push(branch, title, agent, `docs/page-${number}.md`, daysAgo)
    return openPull(docs, number, { branch, title, user: agent, labels: [LABEL], ...fields }, at(daysAgo))
  }
  const end = (
    pull: PullState,
    turns: readonly Turn[],
    merge?: { readonly by: string; readonly daysAgo: number },
  ): void => {
    const [first] = turns
    writeComment(
      state,
      pull,
      workflows,
      renderHistory(pull.branch.replace(/\W/g, '_'), turns, startMs),
      at(first?.daysAgo ?? 0),
    )
    const number = Object.keys(docs.pulls).find((key) => docs.pulls[Number(key)] === pull)
    if (merge !== undefined) mergePull(docs, Number(number), merge.by, at(merge.daysAgo))
  }

  const unedited = open('Describe --json', 9)
  end(unedited, [{ daysAgo: 9, effect: 'created', result: RESULTS.opened }], {
    by: reviewer,
    daysAgo: 8.5,
  })

  const edited = open('Explain retries and time limits', 8)
  push(edited.branch, 'Explain time limits', agent, 'docs/limits.md', 7)
  push(edited.branch, 'Shorten the page', reviewer, 'docs/limits.md', 6.2)
  end(
    edited,
    [
      { daysAgo: 8, effect: 'created', result: RESULTS.opened },
      { daysAgo: 7, effect: 'updated', result: RESULTS.updated },
      { daysAgo: 6.5, effect: 'unchanged', result: RESULTS.unchanged },
    ],
    { by: reviewer, daysAgo: 6 },
  )

  const rejected = open('Remove the beta note', 5)
  end(rejected, [{ daysAgo: 5, effect: 'created', result: RESULTS.opened }])
  closeIssue(docs, rejected, at(4.5))

  const waiting = open('Describe the progress of a deploy', 4)
  end(waiting, [
    { daysAgo: 4, effect: 'created', result: RESULTS.opened },
    { daysAgo: 2, outcome: 'failed', effect: 'unknown', result: RESULTS.failed },
  ])
  const request = { event: 'review_requested', actor: workflows, name: reviewer, atMs: at(4) } as const
  waiting.reviewEvents.push({ id: takeId(state), ...request })
}
