import {
  getEntry,
  getText,
  getTexts,
  listEntries,
  listTexts,
  parseLocated,
  refuseFile,
  type Located,
  type Template,
} from './located.ts'

type Templates = Readonly<Record<string, Template>>

export interface Filter {
  readonly patterns: readonly string[]
  readonly line: number
}

/** One event of `on:`. */
export interface Trigger {
  readonly event: string
  readonly line: number
  /** Such as `branches`, `paths-ignore` and `types`. A schedule has as many of `timezone` as of `cron`, empty for UTC. */
  readonly filters: Readonly<Partial<Record<string, Filter>>>
}

/** An input of `workflow_dispatch` or `workflow_call`. */
export interface DispatchInput {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly default: string | undefined
  readonly options: readonly string[]
}

export interface Step {
  /** As GitHub shows it, before expressions in it are evaluated. */
  readonly title: Template
  readonly id: string | undefined
  readonly line: number
  readonly if: Template | undefined
  readonly uses: Template | undefined
  readonly run: Template | undefined
  readonly with: Templates
  readonly env: Templates
  readonly mayFail: Template | undefined
  readonly timeoutMinutes: Template | undefined
  /** Whether GitHub runs it at the same time as other steps of its job. */
  readonly isParallel: boolean
}

/** A `concurrency` group. */
export interface Concurrency {
  readonly group: string
  readonly line: number
  /** Whether all runs wait. Otherwise, a newer run takes the place of one that waits. */
  readonly isQueue: boolean
  /** Whether a newer run cancels one that is in progress. */
  readonly cancels: boolean
}

export type Permissions = 'read-all' | 'write-all' | Readonly<Record<string, string>>

export interface Job {
  readonly id: string
  readonly line: number
  readonly needs: readonly string[]
  /** All jobs before this one: those that it needs, and those that they need. */
  readonly after: readonly string[]
  readonly if: Template | undefined
  /** The reusable workflow that this job calls. */
  readonly uses: Template | undefined
  readonly with: Templates
  readonly secrets: 'inherit' | Templates
  readonly env: Templates
  readonly permissions: Permissions | undefined
  readonly concurrency: Concurrency | undefined
  readonly runsOn: Located | undefined
  readonly matrix: Located | undefined
  readonly failFast: Template | undefined
  readonly maxParallel: Template | undefined
  readonly timeoutMinutes: Template | undefined
  readonly mayFail: Template | undefined
  readonly outputs: Templates
  readonly steps: readonly Step[]
}

/** What a workflow that can be called takes and returns. */
interface Call {
  readonly inputs: readonly DispatchInput[]
  readonly secrets: readonly Pick<DispatchInput, 'name' | 'isRequired'>[]
  readonly outputs: Templates
}

export interface Workflow {
  readonly name: string | undefined
  readonly triggers: readonly Trigger[]
  readonly inputs: readonly DispatchInput[]
  /** Undefined if it cannot be called. */
  readonly call: Call | undefined
  readonly env: Templates
  readonly concurrency: Concurrency | undefined
  /** In an order in which each job comes after those that it needs. */
  readonly jobs: readonly Job[]
}

function readTriggers(on: Located | undefined): readonly Trigger[] {
  const toTrigger = (event: string, line: number, value?: Located): Trigger => {
    const filters = listEntries(value).map(([name, of]) => [name, { patterns: listTexts(of), line: of.line }])
    const items = value?.kind === 'list' ? value.items : []
    const schedule = ['cron', 'timezone'].map((name) => {
      return [name, { patterns: items.map((item) => getText(getEntry(item, name))?.text ?? ''), line }]
    })
    const all = items.length === 0 ? filters : schedule
    return { event, line, filters: Object.fromEntries(all) as Trigger['filters'] }
  }
  if (on?.kind === 'map') return [...on.entries].map(([event, value]) => toTrigger(event, value.line, value))
  return listTexts(on).map((event) => toTrigger(event, on?.line ?? 1))
}

function readInputs(event: Located | undefined): readonly DispatchInput[] {
  return listEntries(getEntry(event, 'inputs')).map(([name, input]) => ({
    name,
    type: getText(getEntry(input, 'type'))?.text ?? 'string',
    isRequired: getText(getEntry(input, 'required'))?.text === 'true',
    default: getText(getEntry(input, 'default'))?.text,
    options: listTexts(getEntry(input, 'options')),
  }))
}

function readCall(on: Located | undefined): Call | undefined {
  if (on?.kind !== 'map')
    return listTexts(on).includes('workflow_call') ? { inputs: [], secrets: [], outputs: {} } : undefined
  const event = getEntry(on, 'workflow_call')
  if (event === undefined) return undefined
  const outputs = listEntries(getEntry(event, 'outputs')).flatMap(([name, output]) => {
    const value = getText(getEntry(output, 'value'))
    return value === undefined ? [] : [[name, value] as const]
  })
  const secrets = listEntries(getEntry(event, 'secrets')).map(([name, secret]) => ({
    name,
    isRequired: getText(getEntry(secret, 'required'))?.text === 'true',
  }))
  return { inputs: readInputs(event), secrets, outputs: Object.fromEntries(outputs) }
}

/** A step gets its inputs as variables in upper case, so that another spelling, such as `Base-URL`, is the same input. */
const normalizeName = (name: string): string => name.toUpperCase().toLowerCase()

function readInputsOfStep(step: Located): Templates {
  const inputs = Object.entries(getTexts(getEntry(step, 'with')))
  return Object.fromEntries(inputs.map(([name, text]) => [normalizeName(name), text]))
}

/** The steps that start or run nothing themselves. */
const CONTROLS = ['wait', 'wait-all', 'cancel']

/** The command of a script, or such as `wait-all`. */
function describeStep(step: Located, run: Template | undefined): string {
  const control = CONTROLS.find((name) => getEntry(step, name) !== undefined)
  if (control === undefined) return run?.text.trim().split('\n', 1)[0] ?? ''
  return [control, ...listTexts(getEntry(step, control))].join(' ').trim()
}

function readStep(step: Located, isInGroup: boolean): readonly Step[] {
  const get = (name: string): Template | undefined => getText(getEntry(step, name))
  const group = getEntry(step, 'parallel')
  if (group?.kind === 'list') return group.items.flatMap((one) => readStep(one, true))
  const [uses, run] = [get('uses'), get('run')]
  const own: Step = {
    title: get('name') ?? uses ?? { text: describeStep(step, run), line: step.line },
    id: get('id')?.text,
    line: step.line,
    if: get('if'),
    uses,
    run,
    with: readInputsOfStep(step),
    env: getTexts(getEntry(step, 'env')),
    mayFail: get('continue-on-error'),
    timeoutMinutes: get('timeout-minutes'),
    isParallel: isInGroup || get('background')?.text === 'true',
  }
  return [own]
}

/** In the order of the file, with those of `parallel` in place. */
export function readSteps(steps: Located | undefined): readonly Step[] {
  return steps?.kind === 'list' ? steps.items.flatMap((step) => readStep(step, false)) : []
}

function readPermissions(from: Located | undefined): Permissions | undefined {
  if (from === undefined) return undefined
  if (from.kind === 'scalar') return from.text === 'write-all' ? 'write-all' : 'read-all'
  return Object.fromEntries(Object.entries(getTexts(from)).map(([name, { text }]) => [name, text]))
}

function readConcurrency(from: Located | undefined): Concurrency | undefined {
  if (from === undefined) return undefined
  const get = (name: string): string | undefined => getText(getEntry(from, name))?.text
  return {
    group: getText(from)?.text ?? get('group') ?? '',
    line: from.line,
    isQueue: get('queue') === 'max',
    cancels: get('cancel-in-progress') === 'true',
  }
}

function readJob(id: string, job: Located, permissions: Permissions | undefined): Omit<Job, 'after'> {
  const [strategy, secrets] = [getEntry(job, 'strategy'), getEntry(job, 'secrets')]
  return {
    id,
    line: job.line,
    needs: listTexts(getEntry(job, 'needs')),
    if: getText(getEntry(job, 'if')),
    uses: getText(getEntry(job, 'uses')),
    with: getTexts(getEntry(job, 'with')),
    secrets: secrets?.kind === 'scalar' ? 'inherit' : getTexts(secrets),
    env: getTexts(getEntry(job, 'env')),
    permissions: readPermissions(getEntry(job, 'permissions')) ?? permissions,
    concurrency: readConcurrency(getEntry(job, 'concurrency')),
    runsOn: getEntry(job, 'runs-on'),
    matrix: getEntry(strategy, 'matrix'),
    failFast: getText(getEntry(strategy, 'fail-fast')),
    maxParallel: getText(getEntry(strategy, 'max-parallel')),
    timeoutMinutes: getText(getEntry(job, 'timeout-minutes')),
    mayFail: getText(getEntry(job, 'continue-on-error')),
    outputs: getTexts(getEntry(job, 'outputs')),
    steps: readSteps(getEntry(job, 'steps')),
  }
}

/** The parser has refused cycles and unknown names. */
function orderByNeeds(jobs: readonly Omit<Job, 'after'>[]): readonly Job[] {
  const ordered = new Map<string, Job>()
  const add = (job: Omit<Job, 'after'>): void => {
    if (ordered.has(job.id)) return
    for (const need of job.needs) jobs.filter(({ id }) => id === need).forEach(add)
    const after = job.needs.flatMap((id) => [id, ...(ordered.get(id)?.after ?? [])])
    ordered.set(job.id, { ...job, after: [...new Set(after)] })
  }
  jobs.forEach(add)
  return [...ordered.values()]
}

const FILTERS = ['branches', 'tags', 'paths']

/** What GitHub refuses when it starts a workflow, and its parser accepts. */
function* findRefused({
  triggers,
  jobs,
}: Pick<Workflow, 'triggers' | 'jobs'>): Generator<{ line: number; problem: string }> {
  for (const { filters, line } of triggers) {
    const both = FILTERS.find((name) => filters[name] !== undefined && filters[`${name}-ignore`] !== undefined)
    if (both !== undefined)
      yield {
        line: filters[both]?.line ?? line,
        problem: `you may only define one of \`${both}\` and \`${both}-ignore\` for a single event`,
      }
  }
  for (const { uses, steps } of jobs) {
    if (uses !== undefined && !isLocalPath(uses.text) && !uses.text.includes('@'))
      yield { line: uses.line, problem: 'invalid value workflow reference: no version specified' }
    yield* findStepsWithoutRef(steps)
  }
}

/** Whether `uses` names a file of the repository itself. */
export const isLocalPath = (uses: string): boolean => /^[.$][/\\]/.test(uses)

/** Steps whose action GitHub cannot find. */
export function* findStepsWithoutRef(steps: readonly Step[]): Generator<{ line: number; problem: string }> {
  for (const { uses } of steps) {
    if (uses === undefined || isLocalPath(uses.text) || uses.text.startsWith('docker://')) continue
    if (/^[^/@]+\/[^@]+@[^@]+$/.test(uses.text)) continue
    yield { line: uses.line, problem: `Expected format {org}/{repo}[/path]@ref. Actual '${uses.text}'` }
  }
}

/** @throws Error that names every problem with its line */
export async function readWorkflow(name: string, content: string): Promise<Workflow> {
  const root = await parseLocated(name, content)
  const permissions = readPermissions(getEntry(root, 'permissions'))
  const triggers = readTriggers(getEntry(root, 'on'))
  const jobs = orderByNeeds(listEntries(getEntry(root, 'jobs')).map(([id, job]) => readJob(id, job, permissions)))
  refuseFile(Array.from(findRefused({ triggers, jobs }), ({ line, problem }) => `${name} (Line: ${line}): ${problem}`))
  return {
    name: getText(getEntry(root, 'name'))?.text,
    triggers,
    inputs: readInputs(getEntry(getEntry(root, 'on'), 'workflow_dispatch')),
    call: readCall(getEntry(root, 'on')),
    env: getTexts(getEntry(root, 'env')),
    concurrency: readConcurrency(getEntry(root, 'concurrency')),
    jobs,
  }
}
