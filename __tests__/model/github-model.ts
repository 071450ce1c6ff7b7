import type { Check } from '../../src/github/commit-checks.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { PullRequest } from '../../src/github/pull-requests.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeGitHub, MARKER, mergedBy, PULL_REQUEST, pullCommits } from '../support/fake-github.ts'
import { commit } from '../support/github-state.ts'
import { OLD_LINK, type JobLife } from './job-life.ts'
import type { GitHubFate, GitHubPlan, Schedule } from './schedule.ts'

const PERSON = { login: 'ann', type: 'User' } as const

const BEFORE = commit('a')
const BY_OURS = commit('b')
const BY_PERSON = commit('d')
/** Of the first turn of ours, and of the rounds. */
const OURS = [BY_OURS, commit('c'), commit('e'), commit('f'), commit('1'), commit('2')]
/** Where the agent's branch left the other one. */
const BASE = commit('0')
const isOld = (number: number): boolean => OLD_LINK.endsWith(`/${number}`)
const USUAL_FATE: GitHubFate = { how: 'well', delayMs: 50, times: Infinity }

export interface GitHubModel {
  readonly github: GitHub
  /** What was written, and to which pull request, whether or not that was answered. Times are from the step's beginning. */
  readonly writes: readonly { readonly what: 'label' | 'comment'; readonly number: number; readonly at: number }[]
  /** What was told and heard: checks by commit, and files. */
  readonly told: {
    readonly checks: ReadonlyMap<string, readonly Check[]>
    readonly files: boolean
  }
  /** Whether the old pull request was told to hold the commit of our turn. */
  toldOfOurPush(): boolean
}

function* unroll(fates: readonly GitHubFate[]): Generator<GitHubFate, never> {
  for (const fate of fates) for (let time = 0; time < fate.times; time++) yield fate
  for (;;) yield USUAL_FATE
}

/** GitHub as one schedule has it, on the step's clock: it fails, hangs until a call's deadline, lags and lies. */
export function createGitHubModel(
  { oursHasTheSameLink, task }: Schedule,
  plan: GitHubPlan,
  life: JobLife,
  clock: Clock,
  signal: AbortSignal,
): GitHubModel {
  const startedAt = clock.now()
  const now = (): number => clock.now() - startedAt
  const fates = unroll(plan.fates)
  const writes: { what: 'label' | 'comment'; number: number; at: number }[] = []
  let toldOfOurPush = false
  const checks = new Map<string, readonly Check[]>()
  const told = { checks, files: false }
  const usual = fakeGitHub()

  /** What a pull request holds by now, oldest first. */
  function commitsOf(number: number): readonly string[] {
    const isOurs = isOld(number) ? oursHasTheSameLink : task === 'create' || !oursHasTheSameLink
    const pushesBy = (time: number): number =>
      Math.max(isOurs && plan.oursPushes ? life.pushesBy(time) : 0, isOld(number) ? 0 : 1)
    const shownAt = now() - plan.headLagMs
    const before = isOld(number) ? [BEFORE] : []
    const commits = [...before, ...OURS.slice(0, pushesBy(shownAt))]
    const personAt = plan.personPushesAtMs ?? Infinity
    return personAt > shownAt ? commits : commits.toSpliced(before.length + pushesBy(personAt), 0, BY_PERSON)
  }

  const headOf = (number: number): string => commitsOf(number).at(-1) ?? ''

  function checksNow(sha: string): Check[] {
    const age = now() - plan.checks.registeredAtMs
    if (age < 0) return []
    if (sha === BASE || OURS.indexOf(sha) + 1 >= plan.checks.mendedAfter) return [{ name: 'build', state: 'success' }]
    const states = {
      success: 'success',
      failure: 'failure',
      flips: age % 9_000 < 6_000 ? 'success' : 'pending',
    } as const
    return [{ name: 'build', state: age < plan.checks.runMs ? 'pending' : states[plan.checks.ending] }]
  }

  const isMarked = (by: 'label' | 'comment', number: number): boolean =>
    plan.isMarked || writes.some((write) => write.what === by && write.number === number)
  const markersOf = (number: number) => (plan.pushIsOwn || isMarked('comment', number) ? [MARKER] : [])

  function pullRequest(number: number): PullRequest {
    const labels = isMarked('label', number) ? ['docs-agent'] : []
    return { ...PULL_REQUEST, number, headSha: headOf(number), labels }
  }

  function until(endsAt: number): GitHub {
    /** As the real client: nothing after the deadline or the cancellation; a failure may come after the deed. */
    async function ask<T>(act: () => T, hear: (answer: T) => void = () => undefined): Promise<T> {
      signal.throwIfAborted()
      const { how, delayMs } = fates.next().value
      const began = clock.now()
      const pass = async (time: number): Promise<void> => {
        await clock.sleep(Math.min(time, endsAt) - clock.now(), signal)
        if (time > endsAt) throw new ActionError('deadline', 'The time ran out before GitHub had answered.')
      }
      await pass(how === 'hang' ? Infinity : began + delayMs / 2)
      const answer = how === 'well' || how === 'lost' ? act() : undefined
      await pass(began + delayMs)
      if (how === 'hang' || how === 'lost') throw new ActionError('unreachable', 'GitHub could not be reached.')
      if (how !== 'well') throw new ActionError(how, `GitHub is ${how}.`)
      hear(answer as T)
      return answer as T
    }

    return {
      ...usual,
      compare: async (...args) => {
        const comparison = await usual.compare(...args)
        const ofPull = args[1] === PULL_REQUEST.baseRef
        const isInside = ofPull ? plan.filesAreInside : plan.changeCounts
        const files = comparison.files.map((file) => (isInside ? file : { ...file, path: 'src/x.ts' }))
        return ask(
          () => ({ ...comparison, files, mergeBase: BASE }),
          () => (told.files ||= ofPull),
        )
      },
      findLastSuccesses: () => ask(() => [BEFORE]),
      listTags: () => ask(() => []),
      findPullRequestsOfCommit: () => ask(() => (plan.pushIsOwn ? [mergedBy(5, 'docs-agent')] : [])),
      findPullRequestsEndingWith: () => ask(() => []),
      findPullRequestsOfBranch: () => ask(() => []),
      readPullRequest: ({ number }) => ask(() => pullRequest(number)),
      listOpenPullRequests: () => ask(() => []),
      editComment: () => ask(() => undefined),
      listMarkerComments: ({ number }) => ask(() => markersOf(number)),
      listPullRequestCommits: ({ number }) =>
        ask(
          () =>
            pullCommits(
              ...commitsOf(number).map((sha) => ({ sha, account: sha === BY_PERSON ? PERSON : PULL_REQUEST.author })),
            ),
          // What a new pull request was opened with is no push to it.
          (commits) => (toldOfOurPush ||= commits.some(({ sha }) => OURS.indexOf(sha) >= (isOld(number) ? 0 : 1))),
        ),
      addLabel: ({ number }) =>
        ask(() => {
          writes.push({ what: 'label', number, at: now() })
        }),
      addComment: ({ number }) =>
        ask(() => {
          writes.push({ what: 'comment', number, at: now() })
          return undefined
        }),
      readChecks: (_repository, sha) =>
        ask(
          () => checksNow(sha),
          (answer) => checks.set(sha, answer),
        ),
      listAnnotations: (...args) => usual.listAnnotations(...args),
      readJobLog: (...args) => usual.readJobLog(...args),
      until: (own) => until(Math.min(own, endsAt)),
    }
  }

  const deadline = startedAt + life.timeoutMs
  return { github: until(deadline), writes, told, toldOfOurPush: () => toldOfOurPush }
}
