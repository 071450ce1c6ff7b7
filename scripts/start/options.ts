import { isChangedPath, MAX_CHANGED_FILES } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { chooseScenarios, type ChosenScenarios } from './scenarios.ts'
import { type Flags, readFlags, TASK_FLAGS } from './flags.ts'
import { showCommand } from './terminal.ts'
import { EVENTS, type EventName, isEventName } from './workflow/triggers.ts'

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

interface Shown {
  readonly cancelAfter: number | undefined
  /** Whether the embedded service keeps running after the run. */
  readonly isKept: boolean
  /** Whether outputs and job summary are shown. */
  readonly showsAll: boolean
  /** All flags, to repeat the command. */
  readonly words: readonly string[]
}

export interface Run extends Shown {
  readonly kind: 'run'
  readonly action: (typeof ACTIONS)[number]
  readonly service: ChosenService
  /** Defaults of inputs, without those that name the service. Inputs that the action does not have are ignored. */
  readonly defaults: Texts
  readonly given: Texts
  /** Whether the variables name a real service, which is not used. */
  readonly leavesRealService: boolean
}

interface ChosenEvent {
  readonly name: EventName
  /** Changed files of this event only. */
  readonly changed: readonly string[]
}

/** Plays a workflow file. */
export interface WorkflowPlay extends Shown {
  readonly kind: 'workflow'
  readonly file: string
  /** In order. By default the first event of the file that can be played. */
  readonly events: readonly ChosenEvent[]
  /** Changed files of every event. */
  readonly changed: readonly string[]
  readonly service: EmbeddedService
  /** The inputs of `workflow_dispatch`. */
  readonly inputs: Texts
  readonly vars: Texts
  readonly isDryRun: boolean
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

export const HELP = `Runs the packaged action against an embedded service and GitHub, as a GitHub runner would.

  npm start -- [options]

Without options: the README's workflow, on a push.
  --list                 lists all scenarios by task, with five to begin with
  --scenario <names>     what happens at the embedded service, on its GitHub and on the runner
                         (default: ${DEFAULT_SCENARIO})
  --prompt <text>        the instruction for the agent
  --prompt-file <path>   a file with the instruction, inside the current folder
  --job-id <id>          with a prompt: send it to this job; without one: wait for this job
                         (the embedded service has job_finished, job_running and job_archived)
  --input <name>=<text>  any other input of the action, as often as needed
  --action <name>        agent, visitors for the export of visitors, or report (default: agent)

Your own workflow:
  --workflow <file>      plays the steps of this action in a workflow file
  --event <name>         ${EVENTS.slice(0, -1).join(', ')} or ${EVENTS.at(-1) ?? ''};
                         again for what happens a day later (default: the file's first)
  --changed <path>       a file of the change, as often as needed
                         (after an --event: of that event only)
  --input <name>=<text>  an input of workflow_dispatch
  --var <name>=<text>    a variable, which expressions read from vars; <name>= empties it

Both:
  --all                  also shows the outputs and the job summary
  --keep                 leaves the embedded service running until Ctrl-C, to look at the pull request
  --dry-run              shows the prompt and where it would go, and sends nothing
  --cancel-after <s>     cancels the run after so many seconds
  --speed <number>       how many seconds pass in one, 1 to 200 (default: ${DEFAULT_SPEED})
  --help                 this text

Your own service, with DOCS_AGENT_BASE_URL, DOCS_AGENT_PROJECT_ID and DOCS_AGENT_API_KEY set:
  --check                two read requests, a job (--job-id) and a page of visitors; creates nothing
  --real                 sends the prompt to it: a real job, which costs credits
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

/** Splits `name=value`. Returns an error message for another form. */
function readPairs(flag: string, texts: readonly string[]): Texts | string {
  const unclear = texts.find((text) => !/^[^=]+=/.test(text))
  if (unclear !== undefined) return `--${flag} needs the form name=value, and got «${unclear}».`
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]))
}

/** @param example the inputs of the README's workflow */
export function readOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  example: Texts = {},
): Run | WorkflowPlay | Check | Refused | { readonly kind: 'help' } | { readonly kind: 'list' } {
  const flags = readFlags(args, env)
  if (typeof flags === 'string') return refuse(flags)
  for (const kind of ['help', 'list'] as const) if (flags.isOn(kind)) return { kind }
  const { action: name = 'agent', workflow, scenario, 'cancel-after': cancelAfter } = flags.named
  const action = ACTIONS.find((one) => one === name)
  if (action === undefined)
    return refuse(`--action must be ${ACTIONS.slice(0, -1).join(', ')} or ${ACTIONS.at(-1) ?? ''}, and is «${name}».`)
  const service = chooseService(action, flags, env)
  if (service.kind === 'refused') return service
  const isEmbedded = service.kind === 'embedded'
  if (flags.isOn('check'))
    return { kind: 'check', service, jobId: flags.named['job-id'] ?? (isEmbedded ? 'job_finished' : '') }
  if (flags.isOn('dry-run') && action !== 'agent') return refuse('--dry-run is for the action that runs an agent job.')
  if (cancelAfter !== undefined && !isNumber(cancelAfter))
    return refuse(`--cancel-after needs a number of seconds, and got «${cancelAfter}».`)
  const inputs = readPairs('input', flags.listed.input)
  if (typeof inputs === 'string') return refuse(inputs)
  const shown: Shown = {
    cancelAfter: cancelAfter === undefined ? undefined : Number(cancelAfter),
    isKept: flags.isOn('keep') && isEmbedded,
    // A report says everything in its summary.
    showsAll: flags.isOn('all') || action === 'report',
    words: flags.words,
  }
  if (workflow !== undefined) return readWorkflowOptions(workflow, flags, { service, inputs, shown })
  const forWorkflow = (['event', 'changed', 'var'] as const).find((list) => flags.listed[list].length > 0)
  if (forWorkflow !== undefined)
    return refuse(
      `--${forWorkflow} is for your own workflow:${showCommand(`--workflow .github/workflows/docs.yml --${forWorkflow} …`)}`,
    )
  const dryRun: Texts = flags.isOn('dry-run') ? { 'dry-run': 'true' } : {}
  const task = TASK_FLAGS.flatMap((name) => (flags.named[name] === undefined ? [] : [[name, flags.named[name]]]))
  const given: Texts = { ...(Object.fromEntries(task) as Texts), ...dryRun, ...inputs }
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
    leavesRealService: isEmbedded && SERVICE_VARIABLES.every((name) => env[name]),
    ...shown,
  }
}

function readWorkflowOptions(
  file: string,
  { named, listed, given, isOn }: Flags,
  { service, inputs, shown }: { readonly service: ChosenService; readonly inputs: Texts; readonly shown: Shown },
): WorkflowPlay | Refused {
  if (service.kind !== 'embedded') return refuse('--workflow plays the embedded service. Remove --real.')
  const ofFile = (['action', ...TASK_FLAGS] as const).find((name) => named[name] !== undefined)
  if (ofFile !== undefined) return refuse(`--${ofFile} is not for --workflow, which takes all inputs from the file.`)
  const unknown = listed.event.find((name) => !isEventName(name))
  if (unknown !== undefined) return refuse(`--event ${unknown} cannot be played here. These can: ${EVENTS.join(', ')}.`)
  if (listed.changed.length > MAX_CHANGED_FILES || !listed.changed.every(isChangedPath))
    return refuse(
      `--changed needs the path of a file from the root of the repository, such as src/deploy.ts, at most ${MAX_CHANGED_FILES} times.`,
    )
  const vars = readPairs('var', listed.var)
  if (typeof vars === 'string') return refuse(vars)
  const changed: string[] = []
  const events: { name: EventName; changed: string[] }[] = []
  for (const [name, value] of given) {
    if (name === 'event' && isEventName(value)) events.push({ name: value, changed: [] })
    if (name === 'changed') (events.at(-1)?.changed ?? changed).push(value)
  }
  return { kind: 'workflow', file, events, changed, service, inputs, vars, isDryRun: isOn('dry-run'), ...shown }
}

/** The inputs that need the end of the job. With `wait: false` the action refuses them. */
const NEED_THE_END = ['wait-for-checks', 'allowed-paths', 'fix-rounds', 'reviewers']

function withoutUncheckable(inputs: Texts, { wait = '' }: Texts): Texts {
  if (wait.toLowerCase() !== 'false') return inputs
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !NEED_THE_END.includes(name)))
}

/** The variables name a real service, which only `--real` and `--check` use. */
function chooseService(action: Run['action'], { named, isOn }: Flags, env: NodeJS.ProcessEnv): ChosenService | Refused {
  const { scenario, speed } = named
  const isReal = isOn('real')
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  const set = SERVICE_VARIABLES.filter((name) => env[name])
  if (isReal && set.length === 0) return refuse(`--real needs the variables ${SERVICE_VARIABLES.join(', ')}.`)
  if ((isReal || isOn('check')) && set.length > 0) {
    const message = `${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set, but not ${missing.join(' and ')}.`
    if (missing.length > 0) return refuse(`${message} Set all three to use that service, or none.`)
    const flag = scenario !== undefined ? '--scenario' : speed !== undefined ? '--speed' : undefined
    if (flag === undefined) return { kind: 'real', baseUrl, projectId, apiKey }
    return refuse(`${flag} is for the embedded service. Remove it, or remove ${isReal ? '--real' : '--check'}.`)
  }
  const chosen = chooseScenarios(scenario?.split(',').map((name) => name.trim()) ?? [], action)
  if (typeof chosen === 'string') return refuse(chosen)
  const times = speed ?? String(DEFAULT_SPEED)
  if (!isNumber(times) || Number(times) < 1 || Number(times) > 200)
    return refuse('--speed must be a number from 1 to 200.')
  return { kind: 'embedded', ...chosen, speed: Number(times) }
}
