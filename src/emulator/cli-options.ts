import { parseArgs } from 'node:util'
import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  type GitHubScenarioName,
  isGitHubScenarioName,
} from './github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, type ScenarioName, isScenarioName } from './service/scenarios.ts'
import { parseDate } from './service/visitors-query.ts'
import { DEFAULT_PAGES, DEFAULT_SCENARIO, DEFAULT_VISITS } from './embedded-service.ts'

export interface CliOptions {
  readonly host: string
  readonly port: number
  readonly scenario: ScenarioName
  /** What a later one says counts. */
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  /** Of the run that rehearses, `owner/name`; empty: there is none. */
  readonly gitHubRepository: string
  readonly speed: number
  readonly pages: number
  readonly visits: number
  readonly startMs: number
}

type CliCommand =
  | { readonly kind: 'run'; readonly options: CliOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string }

interface CliOption<Value> {
  readonly about: string
  /** What is taken, after "must be". */
  readonly takes: string
  /** As it would be written. */
  readonly otherwise: string
  /** @param nowMs in milliseconds since 1970 */
  readonly parse: (text: string, nowMs: number) => Value | undefined
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '::1', 'localhost']

function numberIn(text: string, least: number, most: number): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

function integer(least: number, most: number): Pick<CliOption<number>, 'takes' | 'parse'> {
  return {
    takes: `an integer from ${least} to ${most}`,
    parse: (text) => (/^\d+$/.test(text) ? numberIn(text, least, most) : undefined),
  }
}

/** By their flags. */
const OPTIONS = {
  host: {
    about: 'loopback address to listen on',
    takes: `one of ${LOOPBACK_HOSTS.join(', ')}`,
    otherwise: '127.0.0.1',
    parse: (text: string) => LOOPBACK_HOSTS.find((host) => host === text),
  },
  port: { about: 'port to listen on, 0 for any free one', otherwise: '4010', ...integer(0, 65_535) },
  scenario: {
    about: 'what happens in every project whose id names no other scenario',
    takes: `one of ${SCENARIO_NAMES.join(', ')}`,
    otherwise: DEFAULT_SCENARIO,
    parse: (text: string) => (isScenarioName(text) ? text : undefined),
  },
  'github-scenario': {
    about: 'what happens on GitHub, several with commas between them',
    takes: `one or more of ${GITHUB_SCENARIO_NAMES.join(', ')}`,
    otherwise: 'checks-pass',
    parse: (text: string) => {
      const names = text.split(',').map((name) => name.trim())
      return names.every(isGitHubScenarioName) ? names : undefined
    },
  },
  'github-repository': {
    about: 'another name of acme/docs, where unknown commits stand for known ones',
    takes: 'owner/name',
    otherwise: '',
    parse: (text: string) => (/^([\w.-]+\/[\w.-]+)?$/.test(text) ? text : undefined),
  },
  speed: {
    about: "seconds of the service's time in one second",
    takes: 'a number from 0.001 to 10000',
    otherwise: '1',
    parse: (text: string) => numberIn(text, 0.001, 10_000),
  },
  pages: { about: 'pages that the analytics know', otherwise: String(DEFAULT_PAGES), ...integer(1, 100_000) },
  visits: {
    about: 'visits that these pages had in the 90 days before the start',
    otherwise: String(DEFAULT_VISITS),
    ...integer(0, 1_000_000),
  },
  // Visits lie in the days before the start, so a date that stands still would leave the last days empty.
  'start-at': {
    about: "the service's date when it starts",
    takes: 'YYYY-MM-DD or ISO 8601',
    otherwise: 'now',
    parse: (text: string, nowMs: number) => (text === 'now' ? nowMs : parseDate(text)),
  },
} as const satisfies Record<string, CliOption<unknown>>

type Flag = keyof typeof OPTIONS

/** The text for `--help`. */
export function helpText(): string {
  return [
    'Starts the embedded documentation service on this machine. Its first line is: listening <url>',
    '',
    'Options:',
    ...Object.entries(OPTIONS).map(
      ([flag, { about, otherwise }]) => `  --${flag.padEnd(18)} ${about} (default: ${otherwise || 'none'})`,
    ),
    `  --${'help'.padEnd(18)} show this text`,
    '',
    'Scenarios (a project whose id ends in --<scenario> plays that one, for example docs--failed):',
    ...SCENARIO_NAMES.map((name) => `  ${name.padEnd(18)} ${SCENARIOS[name].description}`),
    '',
    'Scenarios of GitHub (--github-scenario; they go with any of the above):',
    ...GITHUB_SCENARIO_NAMES.map((name) => `  ${name.padEnd(24)} ${GITHUB_SCENARIOS[name].description}`),
    '',
    'Every project has three jobs from the start: job_finished, job_running and job_archived.',
  ].join('\n')
}

type Texts = Readonly<Partial<Record<Flag, string>>> & { readonly help?: boolean }

/** The flags, or a sentence that says what is wrong with them. */
function readFlags(args: readonly string[]): Texts | string {
  const strings = Object.keys(OPTIONS).map((flag) => [flag, { type: 'string' }] as const)
  const options = { ...Object.fromEntries(strings), help: { type: 'boolean' as const } }
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Reads the command line. All bad values are named in one message.
 * @param nowMs in milliseconds since 1970
 */
export function parseCli(args: readonly string[], nowMs: number): CliCommand {
  const texts = readFlags(args)
  if (typeof texts === 'string') return { kind: 'invalid', message: texts }
  if (texts.help === true) return { kind: 'help' }
  const problems: string[] = []

  const read = <Value>(flag: Flag, { takes, otherwise, parse }: CliOption<Value>): Value => {
    const value = parse(texts[flag] ?? otherwise, nowMs)
    if (value === undefined) problems.push(`--${flag} must be ${takes}.`)
    return value as Value
  }

  const options: CliOptions = {
    host: read('host', OPTIONS.host),
    port: read('port', OPTIONS.port),
    scenario: read('scenario', OPTIONS.scenario),
    gitHubScenarios: read('github-scenario', OPTIONS['github-scenario']),
    gitHubRepository: read('github-repository', OPTIONS['github-repository']),
    speed: read('speed', OPTIONS.speed),
    pages: read('pages', OPTIONS.pages),
    visits: read('visits', OPTIONS.visits),
    startMs: read('start-at', OPTIONS['start-at']),
  }
  return problems.length === 0 ? { kind: 'run', options } : { kind: 'invalid', message: problems.join(' ') }
}
