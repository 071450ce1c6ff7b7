import { closeIssue, mergePull, openPull, pushCommit, takeNumber, writeComment } from './repository-changes.ts'
import type { RepositoryState } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LABEL = 'docs-agent'
const FILE = '.github/docs-prompt.md'
const [OLD_PROMPT, NEW_PROMPT] = ['5d41402a', '7b502c3a']

/** Logins. */
interface People {
  readonly agent: string
  /** The author of history comments. */
  readonly workflows: string
  readonly reviewer: string
}

type Turn = 'opened' | 'updated' | 'unchanged' | 'round' | 'failed'

/** A pull request of the agent. */
interface Plan {
  readonly title: string
  readonly prompt: string
  readonly openedDaysAgo: number
  /** How many of four lines a person keeps. Undefined: nobody edits it. */
  readonly kept?: number
  readonly end: { readonly mergedAfterHours: number } | 'closed' | 'waiting' | 'conflict'
  /** After the first one. */
  readonly turns?: readonly Turn[]
}

const OLD_TITLES = ['Describe --json', 'Explain retries', 'Explain time limits', 'Describe logging', 'List exit codes']
const NEW_TITLES = ['Describe rollbacks', 'Explain regions', 'List environment variables', 'Describe previews']

/** The old prompt: 6 merged as opened, 3 after edits, 3 closed. */
const OLD: readonly Plan[] = [10, 24, 31, 12, 40, 20, 30, 9, 22, 0, 0, 0].map((hours, index) => ({
  title: OLD_TITLES[index % OLD_TITLES.length] ?? '',
  prompt: OLD_PROMPT,
  openedDaysAgo: 29 - index,
  ...(index >= 6 && index < 9 && { kept: index - 5 }),
  end: hours === 0 ? 'closed' : { mergedAfterHours: hours },
  turns: index % 3 === 0 ? ['unchanged'] : index % 3 === 1 ? ['updated', 'round'] : [],
}))

/** The new prompt: 9 merged as opened, 1 after edits, and 2 open. */
const NEW: readonly Plan[] = [
  ...[3, 4, 5, 5, 6, 7, 8, 8, 9, 9].map((hours, index): Plan => ({
    title: NEW_TITLES[index % NEW_TITLES.length] ?? '',
    prompt: NEW_PROMPT,
    openedDaysAgo: 15 - index,
    ...(index === 9 && { kept: 3 }),
    end: { mergedAfterHours: hours },
    turns: index % 4 === 0 ? ['updated'] : [],
  })),
  {
    title: 'Describe the progress of a deploy',
    prompt: NEW_PROMPT,
    openedDaysAgo: 4,
    end: 'waiting',
    turns: ['failed'],
  },
  { title: 'Describe the beta', prompt: NEW_PROMPT, openedDaysAgo: 1.5, end: 'conflict' },
]

/** What a row says of a turn. */
const ROWS: Readonly<Record<Turn, object>> = {
  opened: { outcome: 'pull-request', effect: 'created', result: 'opened' },
  updated: { outcome: 'pull-request', effect: 'updated', result: '1 new commit' },
  unchanged: { outcome: 'pull-request', effect: 'unchanged', result: 'no new commits' },
  round: { outcome: 'pull-request', effect: 'updated', result: '1 new commit' },
  failed: { outcome: 'failed', effect: 'unknown', result: 'the job failed' },
}

/** Renders a history comment as the action writes it, without its table. */
function renderHistory(job: string, { prompt, turns = [] }: Plan, openedAtMs: number, headSha: string): string {
  const rows = (['opened', ...turns] as const).map((turn, index) => {
    const toIso = (minutes: number): string => new Date(openedAtMs + (index * 60 + minutes) * 60_000).toISOString()
    const times = { start: toIso(0), end: toIso(4), until: toIso(60) }
    const key = { run: 20 + index, attempt: 1, job: 'docs', action: 'docs', turn: turn === 'round' ? 1 : 0 }
    const startedBy = { text: 'push to `main` by `mona`' }
    return { ...key, ...times, startedBy, ...ROWS[turn], head: { after: headSha }, sources: [], prompt, file: FILE }
  })
  const state = { v: 1, job, labels: [LABEL], followUps: turns.length, rows, dropped: 0 }
  return `<!-- docs-agent-action: ${JSON.stringify(state)} -->\n\nThe docs agent opened this pull request.`
}

/** Adds a month of pull requests of the agent, in the middle of which its prompt was changed. */
export function addAgentHistory(state: GitHubState, docs: RepositoryState, people: People, startMs: number): void {
  const { agent, workflows, reviewer } = people
  if (!docs.labels.includes(LABEL)) docs.labels.push(LABEL)

  for (const plan of [...OLD, ...NEW]) {
    const { title, openedDaysAgo, kept, end } = plan
    const atMs = startMs - openedDaysAgo * DAY_MS
    const number = takeNumber(docs)
    const branch = `agent/docs-${number}`
    const push = (author: string, lines: readonly string[]): void => {
      const patch = ['@@ -0,0 +1,4 @@', ...lines.map((line) => `+${line}`)].join('\n')
      const files = [{ filename: `docs/page-${number}.md`, patch, additions: lines.length }]
      pushCommit(docs, branch, { message: title, author, files }, atMs)
    }
    const lines = [`# ${title}`, 'First.', 'Second.', 'Third.']
    push(agent, lines)
    if (kept !== undefined) push(reviewer, [...lines.slice(0, kept), 'In other words.'])

    const fields = { branch, title, user: agent, labels: [LABEL], conflict: end === 'conflict' }
    const pull = openPull(docs, number, fields, atMs)
    writeComment(state, pull, workflows, renderHistory(`job_${number}`, plan, atMs, pull.headSha), atMs)
    if (end === 'closed') closeIssue(docs, pull, atMs + DAY_MS)
    else if (typeof end === 'object') mergePull(docs, number, reviewer, atMs + end.mergedAfterHours * HOUR_MS)
    else
      pull.reviewEvents.push({ id: takeId(state), event: 'review_requested', actor: workflows, name: reviewer, atMs })
  }
}
