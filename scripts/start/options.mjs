import { parseArgs } from 'node:util'

/**
 * @typedef {{ kind: 'embedded', scenario: string }} EmbeddedService
 * @typedef {{ kind: 'real', baseUrl: string, projectId: string, apiKey: string }} RealService
 * @typedef {{ kind: 'help' }} HelpWanted
 * @typedef {{ kind: 'refused', message: string }} Refused
 * @typedef {{ kind: 'run', service: EmbeddedService | RealService, inputs: Record<string, string> }} Run
 */

export const HELP = `Runs the packaged action against an embedded service, as a GitHub runner would.

  npm start -- [options]

  --scenario <name>      how the embedded service behaves (default: pull-request); a wrong name lists them all
  --prompt <text>        the instruction for the agent
  --prompt-file <path>   a file with the instruction, inside the current folder
  --job-id <id>          with a prompt: send it to this job; without one: wait for this job
                         (the embedded service has job_finished, job_running and job_archived)
  --input <name>=<text>  any other input of the action, as often as needed
  --help                 this text

With DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID and DOCS_AGENT_API_KEY set, that service is used instead.
`

const DEFAULT_PROMPT = 'Document the new `--dry-run` flag of the deploy command.'
const DEFAULT_SCENARIO = 'pull-request'
const NAMED_FLAGS = /** @type {const} */ (['scenario', 'prompt', 'prompt-file', 'job-id'])
const SERVICE_VARIABLES = /** @type {const} */ (['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID', 'DOCS_AGENT_API_KEY'])

/** Looks often, because the embedded service's time runs faster. */
const EMBEDDED_INPUTS = { 'poll-interval-seconds': '0.5', 'timeout-minutes': '0.5' }
/** Where the point is that the job does not end in time, nobody wants to wait for half a minute to see it. */
const SCENARIOS_WITHOUT_END = ['slow', 'never-starts', 'stalled']
const SHORT_TIMEOUT_MINUTES = '0.1'

/**
 * @param {readonly string[]} args
 * @param {Record<string, string | undefined>} env
 * @returns {Run | HelpWanted | Refused}
 */
export function readOptions(args, env) {
  const flags = readFlags(args, env)
  if (typeof flags === 'string') return { kind: 'refused', message: flags }
  if (flags.help === true) return { kind: 'help' }
  const service = chooseService(flags.scenario, env)
  if (service.kind === 'refused') return service

  /** @type {Record<string, string>} */
  const others = {}
  for (const input of flags.input ?? []) {
    const [, name, value] = /^([^=]+)=(.*)$/su.exec(input) ?? []
    if (name === undefined || value === undefined) {
      return { kind: 'refused', message: `--input needs the form name=value, and got «${input}».` }
    }
    others[name] = value
  }
  /** @type {Record<string, string>} */
  const named = {}
  for (const name of /** @type {const} */ (['prompt', 'prompt-file', 'job-id'])) {
    if (flags[name] !== undefined) named[name] = flags[name]
  }
  const hasTask = Object.keys({ ...named, ...others }).some((name) =>
    ['prompt', 'prompt-file', 'job-id'].includes(name),
  )
  const inputs = { ...serviceInputs(service), ...(hasTask ? {} : { prompt: DEFAULT_PROMPT }), ...named, ...others }
  return { kind: 'run', service, inputs }
}

/**
 * `npm start --scenario=failed`, without `--` before the flag, reaches a script as the variable `npm_config_scenario`; and
 * `npm start --scenario failed` as that variable with the value `true`, and `failed` as an argument.
 *
 * @param {readonly string[]} args
 * @param {Record<string, string | undefined>} env
 * @returns {{ [name in 'scenario' | 'prompt' | 'prompt-file' | 'job-id']?: string } & { input?: string[], help?: boolean } | string} or what is wrong
 */
function readFlags(args, env) {
  const string = /** @type {const} */ ({ type: 'string' })
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scenario: string,
        prompt: string,
        'prompt-file': string,
        'job-id': string,
        input: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const fromNpm = NAMED_FLAGS.flatMap((name) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  const withoutValue = fromNpm.filter(({ value }) => value === 'true')
  if (parsed.positionals.length !== withoutValue.length || withoutValue.length > 1) {
    const [first] = parsed.positionals
    const place = first === undefined ? 'A flag has no value' : `«${first}» belongs to no flag`
    return `${place}. Put -- before the flags: npm start -- --scenario failed`
  }
  const [value] = parsed.positionals
  return {
    ...Object.fromEntries(fromNpm.map((flag) => [flag.name, flag.value === 'true' ? value : flag.value])),
    ...parsed.values,
  }
}

/**
 * @param {string | undefined} scenario
 * @param {Record<string, string | undefined>} env
 * @returns {EmbeddedService | RealService | Refused}
 */
function chooseService(scenario, env) {
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  if (missing.length === SERVICE_VARIABLES.length) return { kind: 'embedded', scenario: scenario ?? DEFAULT_SCENARIO }
  if (missing.length > 0) {
    const set = SERVICE_VARIABLES.filter((name) => env[name])
    const message = `${set.join(' and ')} is set, but not ${missing.join(' and ')}. Set all three to use that service, or none.`
    return { kind: 'refused', message: set.length > 1 ? message.replace(' is set', ' are set') : message }
  }
  if (scenario !== undefined) {
    const message = `--scenario is for the embedded service. Unset ${SERVICE_VARIABLES.join(', ')} to use that.`
    return { kind: 'refused', message }
  }
  return { kind: 'real', baseUrl, projectId, apiKey }
}

/**
 * @param {EmbeddedService | RealService} service
 * @returns {Record<string, string>} nothing that changes the action's own defaults where the service is a real one
 */
function serviceInputs(service) {
  if (service.kind === 'real') {
    return { 'base-url': service.baseUrl, 'project-id': service.projectId, 'api-key': service.apiKey }
  }
  const isEndless = SCENARIOS_WITHOUT_END.includes(service.scenario)
  return { ...EMBEDDED_INPUTS, ...(isEndless && { 'timeout-minutes': SHORT_TIMEOUT_MINUTES }) }
}
