import type { ComparedCommit } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/connect-github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { Step } from '../../step/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { OpenReport } from '../report/open-report.ts'
import { askAgain } from './ask-again.ts'
import type { Compared } from './compare-range.ts'
import { findEventPullRequests, ranOn } from './event-pull-requests.ts'
import { findOwnChanges } from './own-changes.ts'
import { isOwnPullRequest } from './own-pull-request.ts'
import { pushedBranch, pushedCommits, type EventCommit } from './push-range.ts'

export interface GitHubUntil {
  readonly github: GitHub
  /** On the clock's scale: nothing is asked after it. */
  readonly endsAt: number
}

/** Each tells why the agent is not asked, as a full sentence; undefined if it is. What is not known is a shortfall. */
export interface OwnChangeGate {
  /** Whether the event itself leaves something to ask. */
  readonly hasQuestions: boolean
  readonly ofEvent: (asked: GitHubUntil | undefined) => Promise<string | undefined>
  /** Of the commits that came with the event. */
  readonly ofItsCommits: (asked: GitHubUntil | undefined) => Promise<string | undefined>
  readonly ofRange: (compared: Compared, asked: GitHubUntil | undefined) => Promise<string | undefined>
}

/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
/** Up to a minute: as long as GitHub may take to know all that a merge brought. */
const LAG_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000]

const LOST = 'Whether the change is the work of this action is not known, so it was not skipped'

const listNumbers = (numbers: readonly number[]): string => numbers.map((number) => `#${number}`).join(', ')

/** Keeps the agent from being asked by its own work. */
export function openOwnChangeGate(
  { label, skipOwnChanges }: AgentInputs,
  step: Step,
  known: OpenReport,
): OwnChangeGate {
  const { facts, clock, host } = step
  const { repository, eventName } = facts
  const event = findEventPullRequests(facts)
  const run = ranOn(facts.payload)
  const eventCommits = [...pushedCommits(facts), ...(run === undefined ? [] : [run.commit])]
  const hasQuestions = skipOwnChanges && (event.numbers.length > 0 || eventCommits.length > 0)

  async function ask(
    asked: GitHubUntil | undefined,
    question: (asked: GitHubUntil) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (asked !== undefined) return known.attempt(LOST, () => question(asked))
    // By default this is asked of every push: whoever gives no token has decided against it.
    host.log(`${LOST}: there is no \`github-token\`.`)
    return undefined
  }

  async function ofEvent(asked: GitHubUntil | undefined): Promise<string | undefined> {
    const { numbers, labels, mayBeUnmarked } = event
    if (!skipOwnChanges || numbers.length === 0) return undefined
    const reason = `The event is about a pull request that this action's job opened: ${listNumbers(numbers)}.`
    if (hasLabel(label, labels)) return reason
    return ask(asked, async ({ github, endsAt }) => {
      for (const number of numbers) {
        const isOwn = (): Promise<boolean> => isOwnPullRequest({ repository, number }, label, github)
        const pausesMs = mayBeUnmarked ? MARK_PAUSES_MS : []
        if (!(await askAgain(isOwn, Boolean, pausesMs, step, endsAt))) return undefined
      }
      return reason
    })
  }

  async function ofCommits(
    commits: readonly EventCommit[],
    asked: GitHubUntil | undefined,
  ): Promise<string | undefined> {
    if (!skipOwnChanges || commits.length === 0) return undefined
    return ask(asked, async ({ github, endsAt }) => {
      const isNew = eventName === 'push' || eventName === 'workflow_run'
      const lagEndsAt = Math.min(endsAt, clock.now() + 60_001)
      const answer = await findOwnChanges(
        {
          ...{ repository, commits, label, pushed: pushedBranch(facts) ?? run?.pushed },
          untilMarked: (isOwn) => askAgain(isOwn, Boolean, MARK_PAUSES_MS, step, endsAt),
          askAgain: isNew ? (look, willDo) => askAgain(look, willDo, LAG_PAUSES_MS, step, lagEndsAt) : undefined,
        },
        github,
      )
      if (answer.kind === 'too-many')
        host.log(
          `There are ${commits.length} commits, too many to look up where each came from, so the run is not skipped.`,
        )
      if (answer.kind !== 'own') return undefined
      return `All of the change came from pull requests that this action's jobs opened: ${listNumbers(answer.numbers)}.`
    })
  }

  return {
    hasQuestions,
    ofEvent,
    ofItsCommits: (asked) => ofCommits(eventCommits, asked),
    ofRange: (compared, asked) =>
      ofCommits(
        // What did not come with the event is older than any lag.
        commitsToLookAt(compared, facts).map(
          (commit) => eventCommits.find(({ sha }) => sha === commit.sha) ?? { ...commit, isByPusher: true },
        ),
        asked,
      ),
  }
}

/** What people say on a pull request or an issue is for the agent, whoever's commits are in it. */
function commitsToLookAt(
  { repository, comparison, unlisted }: Compared,
  facts: { readonly eventName: string; readonly repository: string },
): readonly ComparedCommit[] {
  const isConversation = /^(?:pull_request|issue|discussion)/.test(facts.eventName)
  if (isConversation || repository !== facts.repository || unlisted !== undefined) return []
  return comparison.commits.toReversed()
}
