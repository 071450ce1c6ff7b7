import { existsSync, readFileSync } from 'node:fs'
import { listRequestedReviewers } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { RequestRecord } from '../../src/emulator/request-log.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import type { Expected } from './check.ts'

type Text = 'summary' | 'printed' | 'promptTexts'

export type ActualRun = Required<Omit<Expected, Text>> & Readonly<Record<Text, string>>

/** The pull requests that the service has from the start have branches with other names. */
const NEW_JOB_BRANCH = /^agent\/job_\d+$/

/** Reads the results of a run from GitHub, and from the log of the calls of `gh`. */
export function readGitHubState(
  { repositories }: GitHubState,
  commandLog: string,
): Pick<ActualRun, 'commands' | 'labels' | 'reviewers' | 'open' | 'posted'> {
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
      .filter(([, { state, branch, labels }]) => state === 'open' && (labels.length > 0 || NEW_JOB_BRANCH.test(branch)))
      .map(([number]) => Number(number)),
  }
}

/** Lists the requests that the service accepted and that can cost credits. */
export function listPrompts(requests: readonly Pick<RequestRecord, 'method' | 'path' | 'status'>[]): string[] {
  return requests.flatMap(({ method, path, status }) => {
    const [, project, job = 'new'] = /^\/v2\/agent\/([^/]+)\/job(?:\/([^/]+)\/message)?$/.exec(path) ?? []
    if (project === undefined || method !== 'POST' || status >= 300) return []
    return [project === DEFAULT_PROJECT_ID ? job : `${project} ${job}`]
  })
}

const DEFAULTS: Expected = { isRed: false, prompts: [], commands: [], chat: [] }

const toSortedJson = (value: unknown): string | undefined =>
  JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

/** Compares a run with its expected result. Returns a line for each difference. */
export function findProblems(expected: Expected, came: ActualRun): string[] {
  const wanted = { ...DEFAULTS, ...expected }
  const { outputs } = came
  const prompts = came.prompts.map((prompt) => {
    const ofAnyJob = prompt.replace(/job_\d+$/, 'job_*')
    return wanted.prompts?.includes(ofAnyJob) ? ofAnyJob : prompt
  })
  const actual = { ...came, prompts }
  const findOutput = (name: string): string | undefined =>
    name.includes('.') ? outputs[name] : Object.entries(outputs).find(([id]) => id.endsWith(`.docs.${name}`))?.[1]
  const pairs = [
    ...Object.entries(wanted.outputs ?? {}).map(([name, value]) => [name, value, findOutput(name)] as const),
    ...(['isRed', 'jobs', 'prompts', 'github', 'commands', 'labels', 'reviewers', 'open', 'posted', 'chat'] as const)
      .filter((name) => wanted[name] !== undefined)
      .map((name) => [name, wanted[name], actual[name]] as const),
  ]
  const others = pairs.filter(([, one, other]) => toSortedJson(one) !== toSortedJson(other))
  const missing = (['summary', 'printed', 'promptTexts'] as const).flatMap((name) =>
    (wanted[name] ?? []).filter((text) => !came[name].includes(text)).map((text) => [name, text] as const),
  )
  return [
    ...others.map(([name, one, other]) => `${name}: wanted ${toSortedJson(one)}, got ${toSortedJson(other)}`),
    ...missing.map(([name, text]) => `${name}: ${JSON.stringify(text)} is missing in ${came[name]}`),
  ]
}
