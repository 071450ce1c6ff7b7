import { isChangedPath, MAX_CHANGED_FILES } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { chooseScenarios, type ChosenScenarios } from './scenarios.ts'
import { type Flags, readFlags, TASK_FLAGS } from './flags.ts'
import type { StoryEvent } from './stories.ts'
import { CLONE_HELP, type CloneOptions, readCloneOptions } from './clone-options.ts'
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
  /** Whether the variables name a real service, which is not used. */
  readonly leavesRealService: boolean
}

export interface Run extends Shown {
  readonly kind: 'run'
  readonly action: (typeof ACTIONS)[number]
  readonly service: ChosenService
  /** Defaults of inputs, without those that name the service. */
  readonly defaults: Texts
  readonly given: Texts
}

/** What is chosen for one event, or for all. */
export interface EventChoice {
  readonly changed: readonly string[]
  /** A branch or a tag, such as `release/1` or `refs/tags/v1.2.0`. */
  readonly ref?: string
  /** One of several crons. */
  readonly schedule?: string
  /** The text of a comment. */
  readonly comment?: string
  /** Whether the comment is on a person's pull request. By default it is on the agent's. */
  readonly isOnPullRequest?: true
}

/** Runs a workflow file. Its choices are for every event that has none of its own. */
export interface WorkflowOptions extends Shown, EventChoice {
  readonly kind: 'workflow'
  readonly file: string
  /** In order. By default the first event of the file that can be run. */
  readonly events: readonly (EventChoice & { readonly name: EventName })[]
  readonly service: EmbeddedService
  /** The inputs of `workflow_dispatch`. */
  readonly inputs: Texts
  readonly vars: Texts
  /** Outputs of steps and jobs, as `id.name`. */
  readonly outputs: Texts
  /** Whether no run of the workflow has succeeded yet. */
  readonly isFirstRun: boolean
  readonly isDryRun: boolean
  /** Only for the workflow of the README. */
  readonly example?: {
    /** Inputs of its step. Undefined removes one. */
    readonly inputs: Readonly<Record<string, string | undefined>>
    readonly story: readonly StoryEvent[]
  }
}

/** Checks whether a service responds as the actions need it, without sending a prompt. */
export interface Check {
  readonly kind: 'check'
  readonly service: ChosenService
  readonly jobId: string
}

type Options = Run | WorkflowOptions | CloneOptions | Check | { readonly kind: 'help' } | { readonly kind: 'list' }

/** A whole run takes about five seconds. */
const DEFAULT_SPEED = 10

export const HELP = `Runs the packaged action against an embedded service and GitHub, as a GitHub runner would.

  npm start -- [options]

Without options: the README's workflow, once.
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
  --workflow <file>      runs the steps of this action in a workflow file
  --event <name>         ${EVENTS.slice(0, -1).join(', ')} or ${EVENTS.at(-1) ?? ''};
                         again for what happens a day later (default: the file's first)
  --changed <path>       a file of the change, as often as needed
  --ref <name>           the branch or tag, such as release/1 or v1.2.0
  --schedule <cron>      which cron of several
  --comment <text>       the text of the comment
  --on-pull-request      the comment is on a person's pull request, not on the agent's
                         (these five, after an --event: for that event only)
  --first-run            no run of the workflow has succeeded yet
  --input <name>=<text>  an input of workflow_dispatch
  --var <name>=<text>    a variable, which expressions read from vars; <name>= empties it
  --output <id>.<name>=<text>
                         an output of a step or job that does not run here
${CLONE_HELP}
The first two:
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

export const SERVICE_VARIABLES = ['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID', 'DOCS_AGENT_API_KEY'] as const

export const REAL_IS_LEFT = `${SERVICE_VARIABLES[0]} is set, but nothing is sent there: --check only reads, and --real starts a real job.\n`

/** Inputs that show what a scenario does on GitHub. */
const SCENARIO_INPUTS = { 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' }

/** The inputs of the workflow in docs/report.md. */
const REPORT_INPUTS = { days: '30', label: 'docs-agent' }

const WORKFLOW_LISTS = ['event', 'changed', 'ref', 'schedule', 'comment', 'var', 'output'] as const
const WORKFLOW_SWITCHES = ['on-pull-request', 'first-run'] as const

/** What is read for every action, and for a workflow file too. */
interface Common {
  readonly service: ChosenService
  readonly inputs: Texts
  readonly shown: Shown
}

const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)

/** @throws Error for a text without the form `name=value` */
function readPairs(flag: string, texts: readonly string[]): Texts {
  const unclear = texts.find((text) => !/^[^=]+=/.test(text))
  if (unclear !== undefined) throw new Error(`--${flag} needs the form name=value, and got «${unclear}».`)
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]))
}

/**
 * @param readme the file with the workflow that runs by default
 * @throws Error that says which flag is wrong, and what to do
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv, readme = 'README.md'): Options {
  const flags = readFlags(args, env)
  for (const kind of ['help', 'list'] as const) if (flags.isOn(kind)) return { kind }
  const ofClone = readCloneOptions(flags, readPairs('var', flags.listed.var))
  if (ofClone !== undefined) return ofClone
  const { action: name = 'agent', 'job-id': jobId, workflow } = flags.named
  const action = ACTIONS.find((one) => one === name)
  if (action === undefined)
    throw new Error(`--action must be ${ACTIONS.slice(0, -1).join(', ')} or ${ACTIONS.at(-1) ?? ''}, and is «${name}».`)
  const service = chooseService(action, flags, env)
  if (flags.isOn('check'))
    return { kind: 'check', service, jobId: jobId ?? (service.kind === 'embedded' ? 'job_finished' : '') }
  if (flags.isOn('dry-run') && action !== 'agent')
    throw new Error('--dry-run is for the action that runs an agent job.')
  const shown = readShown(flags, action, service, env)
  const common = { service, shown, inputs: readPairs('input', flags.listed.input) }
  const isExample = workflow === undefined && action === 'agent' && service.kind === 'embedded'
  if (workflow === undefined && !isExample) return readRunOptions(action, flags, common)
  const options = readWorkflowOptions(workflow ?? readme, flags, common)
  if (!isExample) return options
  const inputs = chooseExampleInputs(flags, service, common.inputs)
  return { ...options, inputs: {}, isDryRun: false, example: { inputs, story: service.story } }
}

function readShown(
  { named, isOn, words }: Flags,
  action: Run['action'],
  service: ChosenService,
  env: NodeJS.ProcessEnv,
): Shown {
  const { 'cancel-after': cancelAfter } = named
  if (cancelAfter !== undefined && !isNumber(cancelAfter))
    throw new Error(`--cancel-after needs a number of seconds, and got «${cancelAfter}».`)
  return {
    cancelAfter: cancelAfter === undefined ? undefined : Number(cancelAfter),
    isKept: isOn('keep') && service.kind === 'embedded',
    // A report says everything in its summary.
    showsAll: isOn('all') || action === 'report',
    words,
    leavesRealService: service.kind === 'embedded' && SERVICE_VARIABLES.every((name) => env[name]),
  }
}

const readTask = ({ named, isOn }: Flags, inputs: Texts): Texts => ({
  ...(Object.fromEntries(
    TASK_FLAGS.flatMap((name) => (named[name] === undefined ? [] : [[name, named[name]]])),
  ) as Texts),
  ...(isOn('dry-run') && { 'dry-run': 'true' }),
  ...inputs,
})

/** A real service gets the action's own defaults. */
function readRunOptions(action: Run['action'], flags: Flags, { service, inputs, shown }: Common): Run {
  const forWorkflow =
    WORKFLOW_LISTS.find((list) => flags.listed[list].length > 0) ?? WORKFLOW_SWITCHES.find((name) => flags.isOn(name))
  if (forWorkflow !== undefined)
    throw new Error(
      `--${forWorkflow} is for a workflow:${showCommand(`--workflow .github/workflows/docs.yml --${forWorkflow} …`)}`,
    )
  const given = readTask(flags, inputs)
  const usual = action === 'report' ? REPORT_INPUTS : action === 'visitors' ? chooseVisitorsInputs(given) : {}
  const defaults = service.kind === 'embedded' ? { ...usual, ...service.inputs } : {}
  return { kind: 'run', action, service, defaults, given, ...shown }
}

/** The inputs that need the end of the job. With `wait: false` the action refuses them. */
const NEED_THE_END: readonly string[] = ['wait-for-checks', 'allowed-paths', 'fix-rounds', 'reviewers']

/** Without a scenario, the step has the inputs of the README. The scenarios are about checks and paths too. */
function chooseExampleInputs(
  flags: Flags,
  service: EmbeddedService,
  inputs: Texts,
): Readonly<Record<string, string | undefined>> {
  const given = readTask(flags, inputs)
  const ofScenario = flags.named.scenario === undefined ? {} : { ...SCENARIO_INPUTS, ...service.inputs }
  const hasEnd = given['wait']?.toLowerCase() !== 'false'
  const usual = Object.entries(ofScenario).filter(([name]) => hasEnd || !NEED_THE_END.includes(name))
  const isTask = TASK_FLAGS.some((name) => name in given)
  return { ...(isTask && { prompt: undefined }), ...Object.fromEntries(usual), ...given }
}

/** The days of the workflow in docs/visitors.md, unless the flags name dates. */
function chooseVisitorsInputs(given: Texts): Texts {
  return 'date-from' in given || 'date-to' in given ? {} : { days: '30' }
}

function readWorkflowOptions(
  file: string,
  { named, listed, given, isOn }: Flags,
  { service, inputs, shown }: Common,
): WorkflowOptions {
  if (service.kind !== 'embedded') throw new Error('--workflow uses the embedded service. Remove --real.')
  const ofFile =
    named.workflow === undefined
      ? undefined
      : (['action', ...TASK_FLAGS] as const).find((name) => named[name] !== undefined)
  if (ofFile !== undefined) throw new Error(`--${ofFile} is not for --workflow, which takes all inputs from the file.`)
  const unknown = listed.event.find((name) => !isEventName(name))
  if (unknown !== undefined) throw new Error(`--event ${unknown} cannot be run here. These can: ${EVENTS.join(', ')}.`)
  if (listed.changed.length > MAX_CHANGED_FILES || !listed.changed.every(isChangedPath))
    throw new Error(
      `--changed needs the path of a file from the root of the repository, such as src/deploy.ts, at most ${MAX_CHANGED_FILES} times.`,
    )
  const vars = readPairs('var', listed.var)
  const outputs = readPairs('output', listed.output)
  const unclear = Object.keys(outputs).find((name) => !/^[^.]+\.[^.]+$/.test(name))
  if (unclear !== undefined)
    throw new Error(`--output needs the form id.name=value, with the id of a step or job, and got «${unclear}».`)
  const switches = { isFirstRun: isOn('first-run'), isDryRun: isOn('dry-run') }
  return { kind: 'workflow', file, ...readEvents(given), service, inputs, vars, outputs, ...switches, ...shown }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A flag after an `--event` is for that event, and one before the first `--event` for all. */
function readEvents(given: Flags['given']): Pick<WorkflowOptions, 'events' | keyof EventChoice> {
  const all: Mutable<EventChoice> = { changed: [] }
  const events: (Mutable<EventChoice> & { readonly name: EventName })[] = []
  for (const [flag, value] of given) {
    const choice = events.at(-1) ?? all
    if (flag === 'event' && isEventName(value)) events.push({ name: value, changed: [] })
    if (flag === 'changed') choice.changed = [...choice.changed, value]
    if (flag === 'ref' || flag === 'schedule' || flag === 'comment') {
      if (choice[flag] !== undefined) throw new Error(`--${flag} is there twice for one event. Remove one.`)
      choice[flag] = value
    }
    if (flag === 'on-pull-request') choice.isOnPullRequest = true
  }
  if (events.length === 0 && all.schedule !== undefined) events.push({ name: 'schedule', changed: [] })
  if (events.length === 0 && (all.comment ?? all.isOnPullRequest) !== undefined)
    events.push({ name: 'issue_comment', changed: [] })
  return { events, ...all }
}

function chooseService(action: Run['action'], flags: Flags, env: NodeJS.ProcessEnv): ChosenService {
  const { scenario, speed = String(DEFAULT_SPEED) } = flags.named
  const real = chooseRealService(flags, env)
  if (real !== undefined) return real
  const chosen = chooseScenarios(scenario?.split(',').map((name) => name.trim()) ?? [], action)
  if (!isNumber(speed) || Number(speed) < 1 || Number(speed) > 200)
    throw new Error('--speed must be a number from 1 to 200.')
  return { kind: 'embedded', ...chosen, speed: Number(speed) }
}

/** The service that the variables name, which only `--real` and `--check` use. */
function chooseRealService({ named, isOn }: Flags, env: NodeJS.ProcessEnv): ChosenService | undefined {
  const isReal = isOn('real')
  const set = SERVICE_VARIABLES.filter((name) => env[name])
  if (isReal && set.length === 0) throw new Error(`--real needs the variables ${SERVICE_VARIABLES.join(', ')}.`)
  if (set.length === 0 || !(isReal || isOn('check'))) return undefined
  const missing = SERVICE_VARIABLES.filter((name) => !env[name])
  if (missing.length > 0)
    throw new Error(
      `${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set, but not ${missing.join(' and ')}. Set all three to use that service, or none.`,
    )
  const forEmbedded = (['scenario', 'speed'] as const).find((name) => named[name] !== undefined)
  if (forEmbedded !== undefined)
    throw new Error(
      `--${forEmbedded} is for the embedded service. Remove it, or remove ${isReal ? '--real' : '--check'}.`,
    )
  const [baseUrl = '', projectId = '', apiKey = ''] = SERVICE_VARIABLES.map((name) => env[name])
  return { kind: 'real', baseUrl, projectId, apiKey }
}
