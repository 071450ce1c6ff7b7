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
  readonly maintainer: string
  readonly reviewer: string
}

/** What a turn of the agent did, in a row of the history comment. */
interface Turn {
  readonly daysAgo: number
  readonly sources: readonly number[]
  readonly outcome?: 'pull-request' | 'failed'
  readonly effect: 'created' | 'updated' | 'unchanged' | 'unknown'
  readonly result: string
}

const RESULTS = { opened: 'opened', updated: '1 new commit', unchanged: 'no new commits', failed: 'the job failed' }

/** Renders a history comment as the action writes it, without its table. */
function renderHistory(job: string, turns: readonly Turn[], startMs: number): string {
  const rows = turns.map(({ daysAgo, sources, outcome = 'pull-request', effect, result }, index) => {
    const atMs = startMs - daysAgo * DAY_MS
    const toIso = (ms: number): string => new Date(ms).toISOString()
    const [start, end, until] = [toIso(atMs), toIso(atMs + 240_000), toIso(atMs + 3_600_000)]
    const key = { run: 20 + index, attempt: 1, job: 'docs', action: 'docs', turn: 0, start, until, end }
    const startedBy = { text: 'push to `main` by `mona`' }
    return {
      ...key,
      startedBy,
      outcome,
      result,
      effect,
      sources: sources.map((number) => `#${number}`),
      exempt: [],
      hidden: 0,
    }
  })
  const state = { v: 1, job, labels: [LABEL], followUps: turns.length - 1, rows, dropped: 0 }
  return `<!-- docs-agent-action: ${JSON.stringify(state)} -->\n\nThe docs agent opened this pull request.`
}

/** Adds ten days of merged changes and of pull requests of the agent, one of each that a report distinguishes. */
export function addAgentHistory(state: GitHubState, docs: RepositoryState, people: People, startMs: number): void {
  const { agent, workflows, maintainer, reviewer } = people
  const at = (daysAgo: number): number => startMs - daysAgo * DAY_MS
  docs.labels.push(...[LABEL, 'no-docs'].filter((name) => !docs.labels.includes(name)))

  const push = (branch: string, message: string, author: string, filename: string, daysAgo: number): void => {
    const patch = `@@ -0,0 +1 @@\n+${message}`
    pushCommit(docs, branch, { message, author, files: [{ filename, patch }] }, at(daysAgo))
  }
  /** A change of a person, merged on the same day. */
  const change = (title: string, daysAgo: number, labels: string[] = []): number => {
    const number = takeNumber(docs)
    const branch = `change-${number}`
    push(branch, title, maintainer, `src/change-${number}.ts`, daysAgo)
    openPull(docs, number, { branch, title, user: maintainer, labels }, at(daysAgo))
    mergePull(docs, number, maintainer, at(daysAgo))
    return number
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

  const json = change('Print JSON with --json', 9)
  const unedited = open('Describe --json', 9)
  end(unedited, [{ daysAgo: 9, sources: [json], effect: 'created', result: RESULTS.opened }], {
    by: reviewer,
    daysAgo: 8.5,
  })

  const retry = change('Retry a deploy that fails', 8)
  const edited = open('Explain retries and time limits', 8)
  const limit = change('Add a time limit to deploy', 7)
  const internal = change('Rename internal modules', 6.5)
  push(edited.branch, 'Explain time limits', agent, 'docs/limits.md', 7)
  push(edited.branch, 'Shorten the page', reviewer, 'docs/limits.md', 6.2)
  end(
    edited,
    [
      { daysAgo: 8, sources: [retry], effect: 'created', result: RESULTS.opened },
      { daysAgo: 7, sources: [limit], effect: 'updated', result: RESULTS.updated },
      { daysAgo: 6.5, sources: [internal], effect: 'unchanged', result: RESULTS.unchanged },
    ],
    { by: reviewer, daysAgo: 6 },
  )

  change('Update dependencies', 5.5, ['no-docs'])
  const banner = change('Remove the beta banner', 5)
  const rejected = open('Remove the beta note', 5)
  end(rejected, [{ daysAgo: 5, sources: [banner], effect: 'created', result: RESULTS.opened }])
  closeIssue(docs, rejected, at(4.5))

  const progress = change('Show progress of a deploy', 4)
  const waiting = open('Describe the progress of a deploy', 4)
  const config = change('Read flags from a file', 2)
  end(waiting, [
    { daysAgo: 4, sources: [progress], effect: 'created', result: RESULTS.opened },
    { daysAgo: 2, sources: [config], outcome: 'failed', effect: 'unknown', result: RESULTS.failed },
  ])
  const request = { event: 'review_requested', actor: workflows, name: reviewer, atMs: at(4) } as const
  waiting.reviewEvents.push({ id: takeId(state), ...request })
}
