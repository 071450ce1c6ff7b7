import { parseArgs } from 'node:util'
import { GITHUB_SCENARIOS, GITHUB_SCENARIO_NAMES, isGitHubScenarioName } from './github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, isScenarioName } from './service/scenarios.ts'
import { parseDate } from './service/visitors-query.ts'
import { DEFAULT_PAGES, DEFAULT_SCENARIO, DEFAULT_VISITS } from './embedded-service.ts'

interface CliOption {
  readonly flag: string
  readonly description: string
  /** The accepted values, worded to follow "must be". */
  readonly accepts: string
  /** The default as the user would write it. */
  readonly defaultText: string
  /** @param nowMs in milliseconds since 1970 */
  readonly parse: (text: string, nowMs: number) => unknown
}

/** GitHub's comparisons list no more files. */
export const MAX_CHANGED_FILES = 300
/** Without a leading slash, backslashes, and `.` or `..` as a folder. */
const RELATIVE_PATH = /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\]{1,1000}$/

/** Whether a text is the path of a file, relative to the root of the repository. */
export const isChangedPath = (path: string): boolean => RELATIVE_PATH.test(path)

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '::1', 'localhost']

function parseNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

function acceptInteger(min: number, max: number) {
  return {
    accepts: `an integer from ${min} to ${max}`,
    parse: (text: string) => (/^\d+$/.test(text) ? parseNumber(text, min, max) : undefined),
  }
}

const OPTIONS = {
  host: {
    flag: 'host',
    description: 'loopback address to listen on',
    accepts: `one of ${LOOPBACK_HOSTS.join(', ')}`,
    defaultText: '127.0.0.1',
    parse: (text: string) => LOOPBACK_HOSTS.find((host) => host === text),
  },
  port: {
    flag: 'port',
    description: 'port to listen on, 0 for any free port',
    defaultText: '4010',
    ...acceptInteger(0, 65_535),
  },
  scenario: {
    flag: 'scenario',
    description: 'the scenario of every project whose id does not name one',
    accepts: `one of ${SCENARIO_NAMES.join(', ')}`,
    defaultText: DEFAULT_SCENARIO,
    parse: (text: string) => (isScenarioName(text) ? text : undefined),
  },
  gitHubScenarios: {
    flag: 'github-scenario',
    description: 'the scenarios of GitHub, one a line or separated by commas',
    accepts: `one or more of ${GITHUB_SCENARIO_NAMES.join(', ')}`,
    defaultText: 'checks-pass',
    parse: (text: string) => {
      const names = text.split(/[\n,]/).flatMap((name) => name.trim() || [])
      return names.length > 0 && names.every(isGitHubScenarioName) ? names : undefined
    },
  },
  /** Empty if not set. */
  gitHubRepository: {
    flag: 'github-repository',
    description: 'the repository of a rehearsal, where every repository exists and known commits replace unknown ones',
    accepts: 'owner/name',
    defaultText: '',
    parse: (text: string) => (/^([\w.-]+\/[\w.-]+)?$/.test(text) ? text : undefined),
  },
  changedFiles: {
    flag: 'changed',
    description: 'the files of the change that started the run, one a line',
    accepts: `at most ${MAX_CHANGED_FILES} paths, one a line, relative to the root of the repository`,
    defaultText: '',
    parse: (text: string) => {
      const paths = text.split('\n').flatMap((line) => line.trim() || [])
      return paths.length <= MAX_CHANGED_FILES && paths.every(isChangedPath) ? paths : undefined
    },
  },
  speed: {
    flag: 'speed',
    description: "seconds on the service's clock per second",
    accepts: 'a number from 0.001 to 10000',
    defaultText: '1',
    parse: (text: string) => parseNumber(text, 0.001, 10_000),
  },
  pages: {
    flag: 'pages',
    description: 'number of pages in the analytics',
    defaultText: String(DEFAULT_PAGES),
    ...acceptInteger(1, 100_000),
  },
  visits: {
    flag: 'visits',
    description: 'number of visits to these pages in the two years before the start',
    defaultText: String(DEFAULT_VISITS),
    ...acceptInteger(0, 1_000_000),
  },
  // Visits are generated for the two years before the start, so a fixed default would leave the most recent days empty.
  startMs: {
    flag: 'start-at',
    description: "the service's date at its start",
    accepts: 'YYYY-MM-DD or ISO 8601',
    defaultText: 'now',
    parse: (text: string, nowMs: number) => (text === 'now' ? nowMs : parseDate(text)),
  },
} as const satisfies Record<string, CliOption>

export type CliOptions = {
  readonly [Name in keyof typeof OPTIONS]: NonNullable<ReturnType<(typeof OPTIONS)[Name]['parse']>>
} & {
  /** Prints the events that start workflows. */
  readonly events: boolean
}

type CliCommand =
  | { readonly kind: 'run'; readonly options: CliOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string }

const OPTION_ENTRIES: readonly (readonly [name: string, option: CliOption])[] = Object.entries(OPTIONS)

export function createHelpText(): string {
  return [
    'Starts the embedded documentation service on this machine. The first line of its output is: listening <url>',
    '',
    'Options:',
    ...OPTION_ENTRIES.map(
      ([, { flag, description, defaultText }]) =>
        `  --${flag.padEnd(18)} ${description} (default: ${defaultText || 'none'})`,
    ),
    `  --${'events'.padEnd(18)} print each GitHub event that starts workflows as one line of JSON`,
    `  --${'help'.padEnd(18)} show this text`,
    '',
    'Scenarios (a project id that ends in --<scenario> selects it, for example docs--failed):',
    ...SCENARIO_NAMES.map((name) => `  ${name.padEnd(18)} ${SCENARIOS[name].description}`),
    '',
    'Scenarios of GitHub (--github-scenario; combine them with any of the above):',
    ...GITHUB_SCENARIO_NAMES.map((name) => `  ${name.padEnd(24)} ${GITHUB_SCENARIOS[name].description}`),
    '',
    'Every project has three jobs from the start: job_finished, job_running and job_archived.',
  ].join('\n')
}

/** Returns the values of the flags, or an error message if a flag is unknown or lacks its value. */
function parseFlags(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> | string {
  const strings = OPTION_ENTRIES.map(([, { flag }]) => [flag, { type: 'string' }] as const)
  const switches = { events: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const options = { ...Object.fromEntries(strings), ...switches }
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Parses the command line. One message reports all invalid values.
 * @param nowMs in milliseconds since 1970
 */
export function parseCli(args: readonly string[], nowMs: number): CliCommand {
  const texts = parseFlags(args)
  if (typeof texts === 'string') return { kind: 'invalid', message: texts }
  if (texts['help'] === true) return { kind: 'help' }
  const values = OPTION_ENTRIES.map(([name, { flag, defaultText, parse }]) => [
    name,
    parse(String(texts[flag] ?? defaultText), nowMs),
  ])
  const problems = OPTION_ENTRIES.filter((_, index) => values[index]?.[1] === undefined)
  const options = { ...Object.fromEntries(values), events: texts['events'] === true } as CliOptions
  if (problems.length === 0) return { kind: 'run', options }
  return {
    kind: 'invalid',
    message: problems.map(([, { flag, accepts }]) => `--${flag} must be ${accepts}.`).join(' '),
  }
}
