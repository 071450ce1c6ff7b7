import { parseArgs } from 'node:util'

import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  type GitHubScenarioName,
  isGitHubScenarioName,
} from './github/github-scenarios.ts'
import { parseDate } from './service/parse-date.ts'
import { SCENARIOS, SCENARIO_NAMES, type ScenarioName, isScenarioName } from './service/scenarios.ts'
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
  readonly flag: string
  readonly about: string
  /** What is taken, after "must be". */
  readonly takes: string
  readonly otherwise: Value
  readonly parse: (text: string) => Value | undefined
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

const OPTIONS: { readonly [Name in Exclude<keyof CliOptions, 'startMs'>]: CliOption<CliOptions[Name]> } = {
  host: {
    flag: 'host',
    about: 'loopback address to listen on',
    takes: `one of ${LOOPBACK_HOSTS.join(', ')}`,
    otherwise: '127.0.0.1',
    parse: (text) => (LOOPBACK_HOSTS.includes(text) ? text : undefined),
  },
  port: { flag: 'port', about: 'port to listen on, 0 for any free one', otherwise: 4010, ...integer(0, 65_535) },
  scenario: {
    flag: 'scenario',
    about: 'what happens in every project whose id names no other scenario',
    takes: `one of ${SCENARIO_NAMES.join(', ')}`,
    otherwise: DEFAULT_SCENARIO,
    parse: (text) => (isScenarioName(text) ? text : undefined),
  },
  gitHubScenarios: {
    flag: 'github-scenario',
    about: 'what happens on GitHub, several with commas between them',
    takes: `one or more of ${GITHUB_SCENARIO_NAMES.join(', ')}`,
    otherwise: ['checks-pass'],
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim())
      return names.every(isGitHubScenarioName) ? names : undefined
    },
  },
  gitHubRepository: {
    flag: 'github-repository',
    about: 'another name of acme/docs, where unknown commits stand for known ones',
    takes: 'owner/name',
    otherwise: '',
    parse: (text) => (/^[\w.-]+\/[\w.-]+$/.test(text) ? text : undefined),
  },
  speed: {
    flag: 'speed',
    about: "seconds of the service's time in one second",
    takes: 'a number from 0.001 to 10000',
    otherwise: 1,
    parse: (text) => numberIn(text, 0.001, 10_000),
  },
  pages: {
    flag: 'pages',
    about: 'pages that the analytics know',
    otherwise: DEFAULT_PAGES,
    ...integer(1, 100_000),
  },
  visits: {
    flag: 'visits',
    about: 'visits that these pages had in the 90 days before the start',
    otherwise: DEFAULT_VISITS,
    ...integer(0, 1_000_000),
  },
}

/** Visits lie in the days before the start, so a date that stands still would leave the last days empty. */
const START: CliOption<number | 'now'> = {
  flag: 'start-at',
  about: "the service's date when it starts",
  takes: 'YYYY-MM-DD or ISO 8601',
  otherwise: 'now',
  parse: parseDate,
}

const ALL_OPTIONS = [...Object.values(OPTIONS), START] as readonly CliOption<string | number | readonly string[]>[]

/** The text for `--help`. */
export function helpText(): string {
  return [
    'Starts the embedded documentation service on this machine. Its first line is: listening <url>',
    '',
    'Options:',
    ...ALL_OPTIONS.map(
      ({ flag, about, otherwise }) => `  --${flag.padEnd(18)} ${about} (default: ${String(otherwise) || 'none'})`,
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

type Flags = ReadonlyMap<string, string | boolean | undefined>

/** The flags, or a sentence that says what is wrong with them. */
function readFlags(args: readonly string[]): Flags | string {
  const strings = ALL_OPTIONS.map(({ flag }) => [flag, { type: 'string' }] as const)
  const options = { ...Object.fromEntries(strings), help: { type: 'boolean' as const } }
  try {
    return new Map(Object.entries(parseArgs({ args: [...args], options }).values))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Reads the command line. All bad values are named in one message.
 * @param nowMs in milliseconds since 1970
 */
export function parseCli(args: readonly string[], nowMs: number): CliCommand {
  const flags = readFlags(args)
  if (typeof flags === 'string') return { kind: 'invalid', message: flags }
  if (flags.get('help') === true) return { kind: 'help' }
  const problems: string[] = []

  const read = <Value>({ flag, takes, otherwise, parse }: CliOption<Value>): Value => {
    const text = flags.get(flag)
    if (typeof text !== 'string') return otherwise
    const value = parse(text)
    if (value === undefined) problems.push(`--${flag} must be ${takes}.`)
    return value ?? otherwise
  }

  const startAt = read(START)
  const options: CliOptions = {
    host: read(OPTIONS.host),
    port: read(OPTIONS.port),
    scenario: read(OPTIONS.scenario),
    gitHubScenarios: read(OPTIONS.gitHubScenarios),
    gitHubRepository: read(OPTIONS.gitHubRepository),
    speed: read(OPTIONS.speed),
    pages: read(OPTIONS.pages),
    visits: read(OPTIONS.visits),
    startMs: startAt === 'now' ? nowMs : startAt,
  }
  return problems.length === 0 ? { kind: 'run', options } : { kind: 'invalid', message: problems.join(' ') }
}
