import { parseArgs } from 'node:util'
import { SCENARIO_NAMES, SCENARIOS, isScenarioName, type ScenarioName } from '../../src/emulator/scenarios.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/service.ts'

type Texts = Readonly<Record<string, string>>
type Environment = Readonly<Record<string, string | undefined>>

export type ChosenService =
  | { readonly kind: 'embedded'; readonly scenario: ScenarioName }
  | { readonly kind: 'real'; readonly baseUrl: string; readonly projectId: string; readonly apiKey: string }

export interface Run {
  readonly kind: 'run'
  readonly service: ChosenService
  /** What the action gets besides the service's address, project and key. */
  readonly inputs: Texts
}

export interface Refused {
  readonly kind: 'refused'
  readonly message: string
}

export const HELP = `Runs the packaged action against an embedded service, as a GitHub runner would.

  npm start -- [options]

  --scenario <name>      how the embedded service behaves (default: ${DEFAULT_SCENARIO})
  --prompt <text>        the instruction for the agent
  --prompt-file <path>   a file with the instruction, inside the current folder
  --job-id <id>          with a prompt: send it to this job; without one: wait for this job
                         (the embedded service has job_finished, job_running and job_archived)
  --input <name>=<text>  any other input of the action, as often as needed
  --help                 this text

Scenarios:
${SCENARIO_NAMES.map((name) => `  ${name.padEnd(20)}  ${SCENARIOS[name].description}`).join('\n')}

With DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID and DOCS_AGENT_API_KEY set, that service is used instead.
`

const DEFAULT_PROMPT = 'Document the new `--dry-run` flag of the deploy command.'
const TASK_FLAGS = ['prompt', 'prompt-file', 'job-id'] as const
const NAMED_FLAGS = ['scenario', ...TASK_FLAGS] as const
const SERVICE_VARIABLES = ['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID', 'DOCS_AGENT_API_KEY'] as const

/** Looks often, because the embedded service's time runs faster. */
const EMBEDDED_INPUTS = { 'poll-interval-seconds': '0.5', 'timeout-minutes': '0.5' }
/** If the point is that the job does not end in time, nobody wants to wait for half a minute to see it. */
const SCENARIOS_WITHOUT_END: readonly ScenarioName[] = ['slow', 'never-starts', 'stalled']
const SHORT_TIMEOUT_MINUTES = '0.1'

interface Flags {
  readonly named: Readonly<Partial<Record<(typeof NAMED_FLAGS)[number], string>>>
  /** Each as `name=value`. */
  readonly input: readonly string[]
  readonly help: boolean
}

/** What the command line asks for. */
export function readOptions(args: readonly string[], env: Environment): Run | Refused | { readonly kind: 'help' } {
  const flags = readFlags(args, env)
  if (typeof flags === 'string') return { kind: 'refused', message: flags }
  if (flags.help) return { kind: 'help' }
  const { scenario, ...named } = flags.named
  const service = chooseService(scenario, env)
  if (service.kind === 'refused') return service

  const others: Record<string, string> = {}
  for (const input of flags.input) {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(input) ?? []
    if (name === undefined || value === undefined) {
      return { kind: 'refused', message: `--input needs the form name=value, and got «${input}».` }
    }
    others[name] = value
  }
  const hasTask = TASK_FLAGS.some((name) => name in named || name in others)
  return {
    kind: 'run',
    service,
    inputs: { ...defaultInputs(service), ...(hasTask ? {} : { prompt: DEFAULT_PROMPT }), ...named, ...others },
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
    ...{ scenario: text, prompt: text, 'prompt-file': text, 'job-id': text },
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
    if (name === 'help') continue
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
  }
}

function chooseService(scenario: string | undefined, env: Environment): ChosenService | Refused {
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  if (missing.length === SERVICE_VARIABLES.length) {
    const name = scenario ?? DEFAULT_SCENARIO
    if (isScenarioName(name)) return { kind: 'embedded', scenario: name }
    return { kind: 'refused', message: `--scenario must be one of ${SCENARIO_NAMES.join(', ')}.` }
  }
  if (missing.length > 0) {
    const set = SERVICE_VARIABLES.filter((name) => env[name])
    const message = `${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set, but not ${missing.join(' and ')}.`
    return { kind: 'refused', message: `${message} Set all three to use that service, or none.` }
  }
  if (scenario !== undefined) {
    const message = `--scenario is for the embedded service. Unset ${SERVICE_VARIABLES.join(', ')} to use that.`
    return { kind: 'refused', message }
  }
  return { kind: 'real', baseUrl, projectId, apiKey }
}

/** Nothing that changes the action's own defaults if the service is a real one. */
function defaultInputs(service: ChosenService): Texts {
  if (service.kind === 'real') return {}
  const isEndless = SCENARIOS_WITHOUT_END.includes(service.scenario)
  return { ...EMBEDDED_INPUTS, ...(isEndless && { 'timeout-minutes': SHORT_TIMEOUT_MINUTES }) }
}
