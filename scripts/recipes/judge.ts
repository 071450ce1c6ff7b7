import { existsSync, readFileSync } from 'node:fs'
import { requestedReviewers } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import type { Expected } from './check.ts'
import type { ActResult } from './run-act.ts'

/** What others saw of a run. */
export interface Seen extends Required<Pick<Expected, 'github' | 'commands' | 'labels' | 'reviewers' | 'open'>> {
  readonly serviceLog: readonly string[]
  /** All prompts, one after the other. */
  readonly told: string
}

/** The branches of pull requests that the service has from the start have other names. */
const OF_A_NEW_JOB = /^agent\/job_\d+$/

/** What there is on GitHub, and what `gh` was asked. */
export function seenIn(
  { repositories }: GitHubState,
  commandLog: string,
): Omit<Seen, 'serviceLog' | 'github' | 'told'> {
  const pulls = Object.entries(repositories['acme/docs']?.pulls ?? {})
  const { headSha = 'none', earlierHeads = [] } = repositories['acme/docs']?.pulls[4] ?? {}
  const commands = existsSync(commandLog) ? readFileSync(commandLog, 'utf8').trimEnd().split('\n') : []
  return {
    commands: commands.map((command) =>
      command.replace(headSha, '<head>').replace(earlierHeads.at(-1)?.sha ?? 'none', '<head before>'),
    ),
    labels: pulls.flatMap(([, pull]) => pull.labels),
    reviewers: pulls.flatMap(([, pull]) => requestedReviewers(pull)),
    open: pulls
      .filter(([, { state, branch, labels }]) => state === 'open' && (labels.length > 0 || OF_A_NEW_JOB.test(branch)))
      .map(([number]) => Number(number)),
  }
}

/** The requests in the service's log that can cost credits and that the service took. */
export function promptsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [, project, job = 'new'] = /^POST \/v2\/agent\/([^/]+)\/job(?:\/([^/]+)\/message)? -> 2/.exec(line) ?? []
    if (project === undefined) return []
    return [project === DEFAULT_PROJECT_ID ? job : `${project} ${job}`]
  })
}

/** @returns what is not as it must be */
export function judge(expected: Expected, result: ActResult, seen: Seen): string[] {
  const problems: string[] = []
  const compare = (what: string, wanted: unknown, got: unknown): void => {
    const [a, b] = [JSON.stringify(wanted), JSON.stringify(got)]
    if (wanted !== undefined && a !== b) problems.push(`${what}: wanted ${a}, got ${b}`)
  }
  const compareSorted = (what: string, wanted: readonly string[] | undefined, got: readonly string[]): void => {
    compare(what, wanted?.toSorted(), got.toSorted())
  }
  const look = (what: string, wanted: readonly string[] = [], got: string): void => {
    for (const text of wanted.filter((one) => !got.includes(one)))
      problems.push(`${what}: ${JSON.stringify(text)} is missing in ${got}`)
  }
  compare('red', expected.isRed ?? false, result.exitCode !== 0)
  compareSorted('jobs', expected.jobs, result.jobs)
  for (const [name, value] of Object.entries(expected.outputs ?? {})) compare(name, value, result.outputs[name])
  compareSorted('prompts', expected.prompts ?? [], promptsIn(seen.serviceLog))
  compare('asked of GitHub', expected.github, seen.github)
  compare('commands of gh', expected.commands ?? [], seen.commands)
  look('summary', expected.summary, result.summary)
  look('printed', expected.printed, result.text.replaceAll(/\u001b\[\d+m/g, ''))
  look('told to the agent', expected.told, seen.told)
  compareSorted('labels', expected.labels, seen.labels)
  compare('reviewers', expected.reviewers, seen.reviewers)
  compare('open pull requests', expected.open, seen.open)
  return problems
}
