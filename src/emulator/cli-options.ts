import { parseArgs } from 'node:util'
import { GITHUB_SCENARIOS, GITHUB_SCENARIO_NAMES, isGitHubScenarioName } from './github/github-scenarios.ts'
import { SCENARIOS, SCENARIO_NAMES, isScenarioName } from './service/scenarios.ts'
import { DEFAULT_SCENARIO } from './embedded-service.ts'

interface CliOption {
  readonly flag: string
  readonly description: string
  /** The accepted values, worded to follow "must be". */
  readonly accepts: string
  /** The default as the user would write it. */
  readonly defaultText: string
  readonly parse: (text: string) => unknown
}

/** GitHub's comparisons list no more files. */
export const MAX_CHANGED_FILES = 300
/** Without a leading slash, backslashes, and `.` or `..` as a folder. */
const RELATIVE_PATH = /^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\]{1,1000}$/

/** Whether a text is the path of a file, relative to the root of the repository. */
export const isChangedPath = (path: string): boolean => RELATIVE_PATH.test(path)

function parseNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

const OPTIONS = {
  port: {
    flag: 'port',
    description: 'port to listen on, 0 for any free port',
    accepts: 'an integer from 0 to 65535',
    defaultText: '4010',
    parse: (text: string) => (/^\d+$/.test(text) ? parseNumber(text, 0, 65_535) : undefined),
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
  /** Empty if not set. */
  gitHubBranch: {
    flag: 'github-branch',
    description: 'the branch of the run of a rehearsal',
    accepts: 'the name of a branch',
    defaultText: '',
    parse: (text: string) => (/^\S*$/.test(text) ? text : undefined),
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
} as const satisfies Record<string, CliOption>

export type CliOptions = {
  readonly [Name in keyof typeof OPTIONS]: NonNullable<ReturnType<(typeof OPTIONS)[Name]['parse']>>
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
  const options = { ...Object.fromEntries(strings), help: { type: 'boolean' } } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Parses the command line. One message reports all invalid values. */
export function parseCli(args: readonly string[]): CliCommand {
  const texts = parseFlags(args)
  if (typeof texts === 'string') return { kind: 'invalid', message: texts }
  if (texts['help'] === true) return { kind: 'help' }
  const values = OPTION_ENTRIES.map(([name, { flag, defaultText, parse }]) => [
    name,
    parse(String(texts[flag] ?? defaultText)),
  ])
  const problems = OPTION_ENTRIES.filter((_, index) => values[index]?.[1] === undefined)
  const options = Object.fromEntries(values) as CliOptions
  if (problems.length === 0) return { kind: 'run', options }
  return {
    kind: 'invalid',
    message: problems.map(([, { flag, accepts }]) => `--${flag} must be ${accepts}.`).join(' '),
  }
}
