import { existsSync, readFileSync } from 'node:fs'
import { listRequestedReviewers } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { RequestRecord } from '../../src/emulator/request-log.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import type { Expected } from './check.ts'

type Text = 'summary' | 'printed' | 'told'

export type Came = Required<Omit<Expected, Text>> & Readonly<Record<Text, string>>

/** The branches of pull requests that the service has from the start have other names. */
const OF_A_NEW_JOB = /^agent\/job_\d+$/

/** What there is on GitHub, and what `gh` was asked. */
export function seenIn(
  { repositories }: GitHubState,
  commandLog: string,
): Pick<Came, 'commands' | 'labels' | 'reviewers' | 'open' | 'posted'> {
  const pulls = Object.values(repositories).flatMap((repository) => Object.entries(repository.pulls))
  const { headSha = 'none', earlierHeads = [] } = repositories['acme/docs']?.pulls[4] ?? {}
  const commands = existsSync(commandLog) ? readFileSync(commandLog, 'utf8').trimEnd().split('\n') : []
  return {
    commands: commands.map((command) =>
      command.replace(headSha, '<head>').replace(earlierHeads.at(-1)?.sha ?? 'none', '<head before>'),
    ),
    labels: pulls.flatMap(([, pull]) => pull.labels),
    posted: Object.values(repositories).flatMap(({ issues }) =>
      Object.values(issues).flatMap(({ comments }) => comments.map(({ body }) => body)),
    ),
    reviewers: pulls.flatMap(([, pull]) => listRequestedReviewers(pull)),
    open: pulls
      .filter(([, { state, branch, labels }]) => state === 'open' && (labels.length > 0 || OF_A_NEW_JOB.test(branch)))
      .map(([number]) => Number(number)),
  }
}

/** The requests that can cost credits and that the service took. */
export function promptsIn(requests: readonly Pick<RequestRecord, 'method' | 'path' | 'status'>[]): string[] {
  return requests.flatMap(({ method, path, status }) => {
    const [, project, job = 'new'] = /^\/v2\/agent\/([^/]+)\/job(?:\/([^/]+)\/message)?$/.exec(path) ?? []
    if (project === undefined || method !== 'POST' || status >= 300) return []
    return [project === DEFAULT_PROJECT_ID ? job : `${project} ${job}`]
  })
}

const USUAL: Expected = { isRed: false, prompts: [], commands: [], chat: [] }

const shown = (value: unknown): string | undefined => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

/** @returns what is not as it must be */
export function judge(expected: Expected, came: Came): string[] {
  const wanted = { ...USUAL, ...expected }
  const { outputs } = came
  const prompts = came.prompts.map((prompt) => {
    const ofAnyJob = prompt.replace(/job_\d+$/, 'job_*')
    return wanted.prompts?.includes(ofAnyJob) ? ofAnyJob : prompt
  })
  const actual = { ...came, prompts }
  const outputOf = (name: string): string | undefined =>
    name.includes('.') ? outputs[name] : Object.entries(outputs).find(([id]) => id.endsWith(`.docs.${name}`))?.[1]
  const pairs = [
    ...Object.entries(wanted.outputs ?? {}).map(([name, value]) => [name, value, outputOf(name)] as const),
    ...(['isRed', 'jobs', 'prompts', 'github', 'commands', 'labels', 'reviewers', 'open', 'posted', 'chat'] as const)
      .filter((name) => wanted[name] !== undefined)
      .map((name) => [name, wanted[name], actual[name]] as const),
  ]
  const others = pairs.filter(([, one, other]) => shown(one) !== shown(other))
  const missing = (['summary', 'printed', 'told'] as const).flatMap((name) =>
    (wanted[name] ?? []).filter((text) => !came[name].includes(text)).map((text) => [name, text] as const),
  )
  return [
    ...others.map(([name, one, other]) => `${name}: wanted ${shown(one)}, got ${shown(other)}`),
    ...missing.map(([name, text]) => `${name}: ${JSON.stringify(text)} is missing in ${came[name]}`),
  ]
}
