import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { chooseScenarios, type ChosenScenarios } from './scenarios.ts'
import { readFlags, TASK_FLAGS } from './flags.ts'

type Texts = Readonly<Record<string, string>>

const ACTIONS = ['agent', 'visitors', 'report'] as const

export interface EmbeddedService extends ChosenScenarios {
  readonly kind: 'embedded'
  /** The factor by which time runs faster for the service, its GitHub and the step. */
  readonly speed: number
}

export type ChosenService =
  | EmbeddedService
  | { readonly kind: 'real'; readonly baseUrl: string; readonly projectId: string; readonly apiKey: string }

export interface Run {
  readonly kind: 'run'
  readonly action: (typeof ACTIONS)[number]
  readonly service: ChosenService
  /** Defaults of inputs, without those that name the service. Inputs that the action does not have are ignored. */
  readonly defaults: Texts
  readonly given: Texts
  readonly cancelAfter: number | undefined
  /** Whether the embedded service keeps running after the run. */
  readonly isKept: boolean
}

/** Checks whether a service responds as the actions need it, without sending a prompt. */
export interface Check {
  readonly kind: 'check'
  readonly service: ChosenService
  readonly jobId: string
}

export interface Refused {
  readonly kind: 'refused'
  readonly message: string
}

/** A whole run takes about five seconds. */
const DEFAULT_SPEED = 10

export const HELP = `Runs the packaged action against an embedded service, as a GitHub runner would.

  npm start -- [options]

  --list                 lists all scenarios by task, with five to begin with
  --action <name>        agent, visitors for the export of visitors, or report (default: agent)
  --scenario <names>     what happens at the embedded service, on its GitHub and on the runner
                         (default: ${DEFAULT_SCENARIO})
  --prompt <text>        the instruction for the agent
  --prompt-file <path>   a file with the instruction, inside the current folder
  --job-id <id>          with a prompt: send it to this job; without one: wait for this job
                         (the embedded service has job_finished, job_running and job_archived)
  --dry-run              shows the prompt and where it would go, and sends nothing
  --input <name>=<text>  any other input of the action, as often as needed
  --cancel-after <s>     cancels the run after so many seconds
  --check                two read requests, a job (--job-id) and a page of visitors; creates nothing
  --keep                 leaves the embedded service running until Ctrl-C, to look at the pull request
  --speed <number>       how many seconds pass in one, 1 to 200 (default: ${DEFAULT_SPEED})
  --help                 this text

With DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID and DOCS_AGENT_API_KEY set, that service is used instead.
`

const DEFAULT_PROMPT = 'Document the new `--dry-run` flag of the deploy command.'
export const SERVICE_VARIABLES = ['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID', 'DOCS_AGENT_API_KEY'] as const

/** The inputs of the workflow in the README, and those that show what a scenario does on GitHub. */
export const EMBEDDED_INPUTS = {
  'change-context': 'files',
  'change-range': 'since-last-success',
  paths: 'src/**',
  'on-open-pr': 'follow-up',
  'wait-for-checks': 'true',
  'allowed-paths': 'docs/**',
}

/** The inputs of the workflow in docs/report.md, without the gate. */
const REPORT_INPUTS = { 'skip-labels': 'no-docs' }

/** The days of the workflow in docs/visitors.md, unless the flags name dates. */
function chooseVisitorsInputs(given: Texts): Texts {
  return 'date-from' in given || 'date-to' in given ? {} : { days: '30' }
}

const refuse = (message: string): Refused => ({ kind: 'refused', message })
const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

/** @param example the inputs of the README's workflow */
export function readOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  example: Texts = {},
): Run | Check | Refused | { readonly kind: 'help' | 'list' } {
  const flags = readFlags(args, env)
  if (typeof flags === 'string') return refuse(flags)
  for (const kind of ['help', 'list'] as const) if (flags.isOn(kind)) return { kind }
  const { action: name = 'agent', scenario, speed, 'cancel-after': cancelAfter, ...named } = flags.named
  const action = ACTIONS.find((one) => one === name)
  if (action === undefined)
    return refuse(`--action must be ${ACTIONS.slice(0, -1).join(', ')} or ${ACTIONS.at(-1) ?? ''}, and is «${name}».`)
  const service = chooseService(action, scenario, speed, env)
  if (service.kind === 'refused') return service
  const isEmbedded = service.kind === 'embedded'
  if (flags.isOn('check'))
    return { kind: 'check', service, jobId: named['job-id'] ?? (isEmbedded ? 'job_finished' : '') }
  if (flags.isOn('dry-run') && action !== 'agent') return refuse('--dry-run is for the action that runs an agent job.')
  if (cancelAfter !== undefined && !isNumber(cancelAfter))
    return refuse(`--cancel-after needs a number of seconds, and got «${cancelAfter}».`)
  const unclear = flags.input.find((text) => !/^[^=]+=/.test(text))
  if (unclear !== undefined) return refuse(`--input needs the form name=value, and got «${unclear}».`)
  const inputs = flags.input.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
  const dryRun: Texts = flags.isOn('dry-run') ? { 'dry-run': 'true' } : {}
  const given: Texts = { ...named, ...dryRun, ...(Object.fromEntries(inputs) as Texts) }
  const { prompt = DEFAULT_PROMPT, ...others } = example
  // Without a scenario exactly the inputs of the README. The scenarios are about checks and paths too.
  const isReadme = scenario === undefined && Object.keys(others).length > 0
  const agentInputs = isReadme ? others : { ...EMBEDDED_INPUTS, ...others }
  const usual =
    action === 'agent'
      ? withoutUncheckable(agentInputs, given)
      : action === 'visitors'
        ? chooseVisitorsInputs(given)
        : REPORT_INPUTS
  const isExample = action === 'agent' && !TASK_FLAGS.some((name) => name in given)
  return {
    kind: 'run',
    action,
    service,
    defaults: {
      ...(isExample ? { prompt } : {}),
      // A real service gets the action's own defaults.
      ...(isEmbedded ? { ...usual, ...service.inputs } : {}),
    },
    given,
    cancelAfter: cancelAfter === undefined ? undefined : Number(cancelAfter),
    isKept: flags.isOn('keep') && isEmbedded,
  }
}

/** The inputs that need the end of the job. With `wait: false` the action refuses them. */
const NEED_THE_END = ['wait-for-checks', 'allowed-paths', 'fix-rounds', 'reviewers']

function withoutUncheckable(inputs: Texts, { wait = '' }: Texts): Texts {
  if (wait.toLowerCase() !== 'false') return inputs
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !NEED_THE_END.includes(name)))
}

function chooseService(
  action: Run['action'],
  scenario: string | undefined,
  speed: string | undefined,
  env: NodeJS.ProcessEnv,
): ChosenService | Refused {
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  const set = SERVICE_VARIABLES.filter((name) => env[name])
  if (missing.length > 0 && set.length > 0) {
    const message = `${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set, but not ${missing.join(' and ')}.`
    return refuse(`${message} Set all three to use that service, or none.`)
  }
  if (set.length > 0) {
    const flag = scenario !== undefined ? '--scenario' : speed !== undefined ? '--speed' : undefined
    if (flag === undefined) return { kind: 'real', baseUrl, projectId, apiKey }
    return refuse(`${flag} is for the embedded service. Unset ${SERVICE_VARIABLES.join(', ')} to use that.`)
  }
  const chosen = chooseScenarios(scenario?.split(',').map((name) => name.trim()) ?? [], action)
  if (typeof chosen === 'string') return refuse(chosen)
  const times = speed ?? String(DEFAULT_SPEED)
  if (!isNumber(times) || Number(times) < 1 || Number(times) > 200)
    return refuse('--speed must be a number from 1 to 200.')
  return { kind: 'embedded', ...chosen, speed: Number(times) }
}
