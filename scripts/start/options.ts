import { parseArgs } from 'node:util'
import {
  GITHUB_SCENARIO_NAMES,
  isGitHubScenarioName,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES, isScenarioName, type ScenarioName } from '../../src/emulator/scenarios.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/service.ts'
import { inputsOf } from './courses.ts'

type Texts = Readonly<Record<string, string>>
type Environment = Readonly<Record<string, string | undefined>>

export interface EmbeddedService {
  readonly kind: 'embedded'
  readonly scenario: ScenarioName
  readonly gitHubScenarios: readonly GitHubScenarioName[]
  /** How many seconds pass in one, for the service, its GitHub and the step. */
  readonly speed: number
}

export type ChosenService =
  | EmbeddedService
  | { readonly kind: 'real'; readonly baseUrl: string; readonly projectId: string; readonly apiKey: string }

export interface Run {
  readonly kind: 'run'
  readonly service: ChosenService
  /** What the action gets besides the service's address, project and key. */
  readonly inputs: Texts
  /** The run is cancelled after so many seconds. */
  readonly cancelAfter: number | undefined
}

export interface Refused {
  readonly kind: 'refused'
  readonly message: string
}

/** A whole run takes about five seconds then. */
const DEFAULT_SPEED = 10

export const HELP = `Runs the packaged action against an embedded service, as a GitHub runner would.

  npm start -- [options]

  --list                 tells all scenarios, with what each is good for
  --scenario <names>     what happens at the embedded service, and on its GitHub (default: ${DEFAULT_SCENARIO})
  --prompt <text>        the instruction for the agent
  --prompt-file <path>   a file with the instruction, inside the current folder
  --job-id <id>          with a prompt: send it to this job; without one: wait for this job
                         (the embedded service has job_finished, job_running and job_archived)
  --input <name>=<text>  any other input of the action, as often as needed
  --cancel-after <s>     cancels the run after so many seconds
  --speed <number>       how many seconds pass in one, 1 to 200 (default: ${DEFAULT_SPEED})
  --help                 this text

With DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID and DOCS_AGENT_API_KEY set, that service is used instead.
`

const DEFAULT_PROMPT = 'Document the new `--dry-run` flag of the deploy command.'
const TASK_FLAGS = ['prompt', 'prompt-file', 'job-id'] as const
const NAMED_FLAGS = ['scenario', 'speed', 'cancel-after', ...TASK_FLAGS] as const
const SERVICE_VARIABLES = ['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID', 'DOCS_AGENT_API_KEY'] as const

/** So that the step does all that it can: it looks at the change, the checks and the files. */
const EMBEDDED_INPUTS = { 'change-context': 'files', 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' }

interface Flags {
  readonly named: Readonly<Partial<Record<(typeof NAMED_FLAGS)[number], string>>>
  /** Each as `name=value`. */
  readonly input: readonly string[]
  readonly help: boolean
  readonly list: boolean
}

/** What the command line asks for. */
export function readOptions(
  args: readonly string[],
  env: Environment,
): Run | Refused | { readonly kind: 'help' | 'list' } {
  const flags = readFlags(args, env)
  if (typeof flags === 'string') return { kind: 'refused', message: flags }
  if (flags.help) return { kind: 'help' }
  if (flags.list) return { kind: 'list' }
  const { scenario, speed, 'cancel-after': cancelAfter, ...named } = flags.named
  const service = chooseService(scenario, speed, env)
  if (service.kind === 'refused') return service
  if (cancelAfter !== undefined && !isNumber(cancelAfter))
    return { kind: 'refused', message: `--cancel-after needs a number of seconds, and got «${cancelAfter}».` }

  const others: Record<string, string> = {}
  for (const input of flags.input) {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(input) ?? []
    if (name === undefined || value === undefined) {
      return { kind: 'refused', message: `--input needs the form name=value, and got «${input}».` }
    }
    others[name] = value
  }
  const defaults = defaultInputs(service)
  const hasTask = TASK_FLAGS.some((name) => name in named || name in others)
  return {
    kind: 'run',
    service,
    inputs: { ...defaults, ...(hasTask ? {} : { prompt: DEFAULT_PROMPT }), ...named, ...others },
    cancelAfter: cancelAfter === undefined ? undefined : Number(cancelAfter),
  }
}

/**
 * `npm start --scenario=failed`, without `--` before the flag, reaches a script as the variable `npm_config_scenario`; and
 * `npm start --scenario failed` as that variable with the value `true`, and `failed` as an argument.
 * @returns what is wrong, as a sentence, if something is
 */
function readFlags(args: readonly string[], env: Environment): Flags | string {
  const text = { type: 'string' } as const
  const options = {
    ...{ scenario: text, speed: text, 'cancel-after': text, prompt: text, 'prompt-file': text, 'job-id': text },
    list: { type: 'boolean' },
    input: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!(name in options)) return `There is no option ${rawName}. «npm start -- --help» shows all.`
    if (name === 'help' || name === 'list') continue
    // A flag that follows is no value, unless it is written as --prompt=--text.
    if (value === undefined || (!inlineValue && value.startsWith('-'))) return `${rawName} needs a value.`
  }

  const fromNpm = NAMED_FLAGS.flatMap((name) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  const withoutValue = fromNpm.filter(({ value }) => value === 'true')
  if (positionals.length !== withoutValue.length || withoutValue.length > 1) {
    const [first] = positionals
    const place = first === undefined ? 'A flag has no value' : `«${first}» belongs to no flag`
    return `${place}. Put -- before the flags: npm start -- --scenario failed`
  }
  const [positional] = positionals
  const given = NAMED_FLAGS.flatMap((name) =>
    values[name] === undefined ? [] : [[name, String(values[name])] as const],
  )
  return {
    named: Object.fromEntries([
      ...fromNpm.map(({ name, value }) => [name, value === 'true' ? positional : value] as const),
      ...given,
    ]),
    input: (values.input ?? []).map(String),
    help: values.help === true,
    list: values.list === true || env['npm_config_list'] === 'true',
  }
}

const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

function chooseEmbedded(scenario = DEFAULT_SCENARIO as string, speed = String(DEFAULT_SPEED)): ChosenService | Refused {
  const names = scenario.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScenarioName(name) && !isGitHubScenarioName(name))
  const known = [...SCENARIO_NAMES, ...GITHUB_SCENARIO_NAMES].join(', ')
  if (unknown !== undefined) return { kind: 'refused', message: `--scenario must be one or more of ${known}.` }
  const [played = DEFAULT_SCENARIO, second] = names.filter(isScenarioName)
  if (second !== undefined) {
    const message = `${played} and ${second} are both scenarios of the service, which plays one. See: npm start -- --list`
    return { kind: 'refused', message }
  }
  if (!isNumber(speed) || Number(speed) < 1 || Number(speed) > 200)
    return { kind: 'refused', message: '--speed must be a number from 1 to 200.' }
  const gitHubScenarios = names.filter(isGitHubScenarioName)
  return { kind: 'embedded', scenario: played, gitHubScenarios, speed: Number(speed) }
}

function chooseService(
  scenario: string | undefined,
  speed: string | undefined,
  env: Environment,
): ChosenService | Refused {
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  if (missing.length === SERVICE_VARIABLES.length) return chooseEmbedded(scenario, speed)
  if (missing.length > 0) {
    const set = SERVICE_VARIABLES.filter((name) => env[name])
    const message = `${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set, but not ${missing.join(' and ')}.`
    return { kind: 'refused', message: `${message} Set all three to use that service, or none.` }
  }
  if (scenario !== undefined || speed !== undefined) {
    const flag = scenario === undefined ? '--speed' : '--scenario'
    const message = `${flag} is for the embedded service. Unset ${SERVICE_VARIABLES.join(', ')} to use that.`
    return { kind: 'refused', message }
  }
  return { kind: 'real', baseUrl, projectId, apiKey }
}

/** Nothing that changes the action's own defaults if the service is a real one. */
function defaultInputs(service: ChosenService): Texts {
  if (service.kind === 'real') return {}
  return { ...EMBEDDED_INPUTS, ...inputsOf(service.scenario, service.gitHubScenarios) }
}
