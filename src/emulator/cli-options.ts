import { parseArgs } from 'node:util'
import { GITHUB_SCENARIOS, GITHUB_SCENARIO_NAMES, isGitHubScenarioName } from './github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, isScenarioName } from './service/scenarios.ts'
import { parseDate } from './service/visitors-query.ts'
import { DEFAULT_PAGES, DEFAULT_SCENARIO, DEFAULT_VISITS } from './embedded-service.ts'

interface CliOption {
  readonly flag: string
  readonly about: string
  /** What is taken, after "must be". */
  readonly takes: string
  /** As it would be written. */
  readonly otherwise: string
  /** @param nowMs in milliseconds since 1970 */
  readonly parse: (text: string, nowMs: number) => unknown
}

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '::1', 'localhost']

function numberIn(text: string, least: number, most: number): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : undefined
}

function integer(least: number, most: number) {
  return {
    takes: `an integer from ${least} to ${most}`,
    parse: (text: string) => (/^\d+$/.test(text) ? numberIn(text, least, most) : undefined),
  }
}

const OPTIONS = {
  host: {
    flag: 'host',
    about: 'loopback address to listen on',
    takes: `one of ${LOOPBACK_HOSTS.join(', ')}`,
    otherwise: '127.0.0.1',
    parse: (text: string) => LOOPBACK_HOSTS.find((host) => host === text),
  },
  port: { flag: 'port', about: 'port to listen on, 0 for any free one', otherwise: '4010', ...integer(0, 65_535) },
  scenario: {
    flag: 'scenario',
    about: 'what happens in every project whose id names no other scenario',
    takes: `one of ${SCENARIO_NAMES.join(', ')}`,
    otherwise: DEFAULT_SCENARIO,
    parse: (text: string) => (isScenarioName(text) ? text : undefined),
  },
  gitHubScenarios: {
    flag: 'github-scenario',
    about: 'what happens on GitHub, several with commas between them',
    takes: `one or more of ${GITHUB_SCENARIO_NAMES.join(', ')}`,
    otherwise: 'checks-pass',
    parse: (text: string) => {
      const names = text.split(',').map((name) => name.trim())
      return names.every(isGitHubScenarioName) ? names : undefined
    },
  },
  /** Empty: there is none. */
  gitHubRepository: {
    flag: 'github-repository',
    about: 'another name of acme/docs, where unknown commits stand for known ones',
    takes: 'owner/name',
    otherwise: '',
    parse: (text: string) => (/^([\w.-]+\/[\w.-]+)?$/.test(text) ? text : undefined),
  },
  /** Empty: there is none. */
  certificateFile: {
    flag: 'certificate-file',
    about: 'file to write a new certificate to; GitHub answers over TLS too then, as gh needs it',
    takes: 'the path of a file',
    otherwise: '',
    parse: (text: string) => text,
  },
  speed: {
    flag: 'speed',
    about: "seconds of the service's time in one second",
    takes: 'a number from 0.001 to 10000',
    otherwise: '1',
    parse: (text: string) => numberIn(text, 0.001, 10_000),
  },
  pages: {
    flag: 'pages',
    about: 'pages that the analytics know',
    otherwise: String(DEFAULT_PAGES),
    ...integer(1, 100_000),
  },
  visits: {
    flag: 'visits',
    about: 'visits that these pages had in the two years before the start',
    otherwise: String(DEFAULT_VISITS),
    ...integer(0, 1_000_000),
  },
  // Visits lie in the days before the start, so a date that stands still would leave the last days empty.
  startMs: {
    flag: 'start-at',
    about: "the service's date when it starts",
    takes: 'YYYY-MM-DD or ISO 8601',
    otherwise: 'now',
    parse: (text: string, nowMs: number) => (text === 'now' ? nowMs : parseDate(text)),
  },
} as const satisfies Record<string, CliOption>

export type CliOptions = {
  readonly [Name in keyof typeof OPTIONS]: NonNullable<ReturnType<(typeof OPTIONS)[Name]['parse']>>
} & {
  /** Whether to print the events that start workflows. */
  readonly events: boolean
}

type CliCommand =
  | { readonly kind: 'run'; readonly options: CliOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string }

const ALL: readonly (readonly [name: string, option: CliOption])[] = Object.entries(OPTIONS)

export function helpText(): string {
  return [
    'Starts the embedded documentation service on this machine. Its first line is: listening <url>',
    '',
    'Options:',
    ...ALL.map(([, { flag, about, otherwise }]) => `  --${flag.padEnd(18)} ${about} (default: ${otherwise || 'none'})`),
    `  --${'events'.padEnd(18)} print the events of GitHub that start workflows, one line of JSON each`,
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

/** The values of the flags, or a sentence that says what is wrong with them. */
function readFlags(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> | string {
  const strings = ALL.map(([, { flag }]) => [flag, { type: 'string' }] as const)
  const switches = { events: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const options = { ...Object.fromEntries(strings), ...switches }
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
  if (texts['help'] === true) return { kind: 'help' }
  const values = ALL.map(([name, { flag, otherwise, parse }]) => [name, parse(String(texts[flag] ?? otherwise), nowMs)])
  const problems = ALL.filter((_, index) => values[index]?.[1] === undefined)
  const options = { ...Object.fromEntries(values), events: texts['events'] === true } as CliOptions
  if (problems.length === 0) return { kind: 'run', options }
  return { kind: 'invalid', message: problems.map(([, { flag, takes }]) => `--${flag} must be ${takes}.`).join(' ') }
}
