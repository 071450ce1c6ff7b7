import { data } from '@actions/expressions'
import { cleanForTerminal } from '../terminal.ts'
import { readCalledWorkflow } from './called-files.ts'
import { findExcess, getPermissions, typeInputs } from './contexts.ts'
import {
  evaluateCondition,
  evaluateText,
  evaluateTexts,
  evaluateValue,
  NotEvaluable,
  type Scope,
} from './expressions.ts'
import type { Template } from './located.ts'
import { listCombinations, toJson } from './matrix.ts'
import { findOwnAction } from './own-actions.ts'
import { describeSkip, runSteps } from './run-steps.ts'
import { createMissed, type JobEnd, type Leg, type RunContext, type Stage, type TimeLimit } from './run-model.ts'
import { describeRunner } from './runner.ts'
import { type Concurrency, type DispatchInput, isLocalPath, type Job } from './workflow-file.ts'

type Status = Scope['status']

/** Ends of all jobs before a job count, also of those that it does not need itself. */
function combineStatus(before: readonly JobEnd[]): Status {
  if (before.some(({ result }) => result === 'failure')) return 'failure'
  return before.every(({ result }) => result === 'success') ? 'success' : 'skipped'
}

/** The result of a job with a matrix, or of a called workflow. Skipped jobs do not count. */
function combineResults(ends: Iterable<JobEnd>): JobEnd['result'] {
  const results = Array.from(ends, ({ result }) => result)
  if (results.every((result) => result === 'skipped')) return 'skipped'
  return (['failure', 'cancelled'] as const).find((result) => results.includes(result)) ?? 'success'
}

/** An end as the contexts `needs` and `jobs` have it. */
const describeEnd = ({ result, outputs }: Partial<JobEnd> = {}): unknown => ({ result, outputs })

/** @returns undefined without a template, or for one that is no positive number */
function evaluateNumber(template: Template | undefined, scope: Scope): number | undefined {
  const value = template === undefined ? NaN : Number(evaluateText(template, scope))
  return value > 0 ? value : undefined
}

function startLimit({ timeoutMinutes }: Job, scope: Scope, nowMs: number): TimeLimit | undefined {
  const minutes = evaluateNumber(timeoutMinutes, scope)
  return minutes === undefined ? undefined : { minutes, endsAtMs: nowMs + minutes * 60_000, of: 'job' }
}

/**
 * Adds a `concurrency` group to those that the run is in. A group that cannot be evaluated here is left out.
 * @param job the id of the job that enters the group, or calls the workflow that does
 * @throws NotEvaluable in GitHub's words, if the run would wait for itself (rhysd/actionlint#538)
 */
export function enterGroup(
  concurrency: Concurrency | undefined,
  { groups }: Pick<RunContext, 'groups'>,
  scope: Scope,
  job: string,
): readonly string[] {
  if (concurrency === undefined) return groups
  let group: string
  try {
    group = evaluateText({ text: concurrency.group, line: concurrency.line }, scope).toLowerCase()
  } catch (error) {
    if (error instanceof NotEvaluable) return groups
    throw error
  }
  if (groups.includes(group))
    throw new NotEvaluable(
      `Canceling since a deadlock was detected for concurrency group: '${group}' between a top level workflow and '${job}'. Remove one of the two groups.`,
    )
  return [...groups, group]
}

/** Runs the jobs of a file, each after those that it needs. */
export async function runJobs(
  context: RunContext,
  jobs: readonly Job[],
  stages: readonly Stage[] = [],
): Promise<ReadonlyMap<string, JobEnd>> {
  const ends = new Map<string, JobEnd>()
  for (const job of jobs) {
    const place = { job, siblings: jobs, above: stages }
    const end = await runJob(context, place, ends)
    ends.set(job.id, end)
  }
  return ends
}

interface Place {
  readonly job: Job
  readonly siblings: readonly Job[]
  /** Those of the jobs that call its workflow. */
  readonly above: readonly Stage[]
}

const INPUT_KINDS: Readonly<Record<string, data.Kind>> = { boolean: data.Kind.Boolean, number: data.Kind.Number }

/**
 * GitHub converts neither a text, such as those of `github.event.inputs` (3rdIteration/seedsigner#443), nor an input that the event
 * does not have (DataDog/integrations-extras#3072).
 */
function refuseOtherTypes(defined: readonly DispatchInput[], given: Job['with'], scope: Scope): void {
  for (const { name, type } of defined) {
    const template = given[name]
    if (INPUT_KINDS[type] === undefined || !template?.text.includes('${{')) continue
    const value = evaluateValue(template, scope)
    if (value.kind !== INPUT_KINDS[type])
      throw new NotEvaluable(
        `Line ${template.line}: Unexpected value '${value.coerceString()}'. The input ${name} needs a ${type}: convert a text with \`fromJSON\`, and give a missing input a default with \`||\`.`,
      )
  }
}

async function runCalledWorkflow(leg: Leg): Promise<JobEnd> {
  const { context, job, name } = leg
  const called = await readCalledWorkflow(job, context.workspace, context.depth)
  const excess = called.jobs.flatMap((one) => findExcess(one, leg.permissions) ?? [])[0]
  if (excess !== undefined) throw new NotEvaluable(`Error calling workflow '${called.file}'. ${excess}`)
  const scope: Scope = { contexts: leg.contexts, status: 'success' }
  const { github, vars } = context.contexts
  const inScope = { ...scope, contexts: { github, vars } }
  const defined = (called.call?.inputs ?? []).map((input) => ({
    ...input,
    default: input.default === undefined ? undefined : evaluateText({ text: input.default, line: 1 }, inScope),
  }))
  refuseOtherTypes(defined, job.with, scope)
  const inputs = typeInputs(defined, evaluateTexts(job.with, scope))
  const secrets =
    job.secrets === 'inherit'
      ? context.contexts.secrets
      : { ...evaluateTexts(job.secrets, scope), GITHUB_TOKEN: context.token }
  const innerContexts = { github, vars, inputs, secrets }
  const groups = enterGroup(job.concurrency, context, scope, job.id)
  const inner: RunContext = {
    ...context,
    contexts: innerContexts,
    groups: enterGroup(called.concurrency, { groups }, { ...scope, contexts: innerContexts }, job.id),
    env: called.env,
    file: called.file,
    depth: context.depth + 1,
    allowed: leg.permissions,
  }
  const ends = await runJobs(inner, called.jobs, leg.stages)
  const jobs = Object.fromEntries(Array.from(ends, ([id, end]) => [id, describeEnd(end)] as const))
  const stepRuns = [...ends.values()].flatMap((end) => end.stepRuns)
  return {
    result: combineResults(ends.values()),
    outputs: evaluateTexts(called.call?.outputs ?? {}, { ...inScope, contexts: { ...inner.contexts, jobs } }),
    stepRuns: stepRuns.map((one) => ({ ...one, title: `${name} / ${one.title}` })),
  }
}

/** Runs a job with one combination of its matrix. @throws NotEvaluable for an expression of the job itself */
async function runLeg(leg: Leg): Promise<JobEnd> {
  const { context, job, stepRuns } = leg
  const { print, paint } = context.session
  const scope: Scope = { contexts: leg.contexts, status: 'success' }
  if (job.uses !== undefined) return await runCalledWorkflow(leg)
  enterGroup(job.concurrency, context, scope, job.id)
  leg.env = evaluateTexts(context.env, scope)
  leg.env = { ...leg.env, ...evaluateTexts(job.env, { ...scope, contexts: { ...leg.contexts, env: leg.env } }) }
  const end = await runSteps(leg, { steps: job.steps, contexts: {}, env: {}, prefix: '', depth: context.depth })

  /** Outputs from steps that are not run may need more than a demo value. */
  function getOutputs(): unknown {
    try {
      return { ...evaluateTexts(job.outputs, end), ...context.outputs.getOf(job.id) }
    } catch (error) {
      if (!(error instanceof NotEvaluable)) throw error
      print(paint('dim', `○ Outputs of job ${job.id}: ${cleanForTerminal(error.message)}\n`))
      return context.outputs.createDemo(job.id)
    }
  }
  const isTolerated = job.mayFail !== undefined && evaluateText(job.mayFail, end) === 'true'
  const result = isTolerated && end.status === 'failure' ? 'success' : end.status
  if (result !== end.status)
    print(paint('dim', `○ Job ${leg.name} has \`continue-on-error\`, so that it counts as green.\n`))
  return { result, outputs: getOutputs(), stepRuns }
}

/** Names one of the jobs of a matrix. */
function nameLeg({ id }: Job, matrix: Readonly<Record<string, unknown>>): string {
  const values = Object.values(matrix).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return values.length === 0 ? id : `${id} (${values.join(', ')})`
}

/** Runs the jobs of a matrix in order. GitHub runs `max-parallel` of them at the same time. */
async function runLegs(
  context: RunContext,
  { job, siblings, above }: Place,
  needs: unknown,
  scope: Scope,
): Promise<JobEnd> {
  const { embedded, session } = context
  const { print, paint } = session
  const combinations = listCombinations(job.matrix, scope)
  const legCount = combinations.length
  const maxParallel = evaluateNumber(job.maxParallel, scope) ?? legCount
  const failsFast = job.failFast === undefined || evaluateText(job.failFast, scope) === 'true'
  const github = { ...(context.contexts.github as object), job: job.id }
  const ends: JobEnd[] = []
  let failed: { readonly at: number; readonly name: string } | undefined
  for (const [index, matrix] of combinations.entries()) {
    const name = nameLeg(job, matrix)
    if (failed !== undefined && failsFast) {
      const together = index - failed.at < maxParallel
      const how = together
        ? 'GitHub has started both, and bills what this one has sent by then'
        : 'GitHub does not start it'
      const reason = `cancelled, because ${failed.name} is red and \`fail-fast\` is on: ${how}`
      print(paint('dim', `○ Job ${cleanForTerminal(`${name}: ${reason}`)}.\n`))
      ends.push({ result: 'cancelled', outputs: {}, stepRuns: [] })
      continue
    }
    if (legCount > 1 || name !== job.id) print(`\n${paint('bold', cleanForTerminal(`Job ${name}`))}\n`)
    const strategy = {
      'fail-fast': failsFast,
      'job-index': index,
      'job-total': legCount,
      'max-parallel': maxParallel,
    }
    const known = { ...context.contexts, github, needs, matrix, strategy }
    const inLeg: Scope = { contexts: known, status: 'success' }
    const runner = {
      ...describeRunner(job.runsOn === undefined ? '' : toJson(job.runsOn, inLeg)),
      temp: context.scratch,
    }
    const leg: Leg = {
      context,
      job,
      name,
      stages: [...above, { job, siblings, leg: index, legCount, maxParallel }],
      contexts: { ...known, runner },
      permissions: getPermissions(job, context.allowed),
      limit: startLimit(job, inLeg, embedded.now()),
      env: {},
      notRun: [],
      stepRuns: [],
    }
    const end = await runLeg(leg)
    ends.push(end)
    if (end.result === 'failure') failed ??= { at: index, name }
  }
  return {
    result: combineResults(ends),
    outputs: ends.findLast(({ result }) => result !== 'cancelled')?.outputs ?? {},
    stepRuns: ends.flatMap(({ stepRuns }) => stepRuns),
  }
}

/**
 * Runs the steps of this action in a job, and lists the others.
 * @param ended the jobs before it, by id
 */
async function runJob(context: RunContext, place: Place, ended: ReadonlyMap<string, JobEnd>): Promise<JobEnd> {
  const { job, above: stages } = place
  const { print, paint } = context.session
  const note = (text: string): void => {
    const at = context.file === undefined ? '' : ` of ${context.file}`
    print(paint('dim', `○ Job ${job.id} (line ${job.line}${at}): ${cleanForTerminal(text)}\n`))
  }
  const needs = Object.fromEntries(job.needs.map((id) => [id, describeEnd(ended.get(id))]))
  const status = combineStatus(job.after.flatMap((id) => ended.get(id) ?? []))
  const scope: Scope = { contexts: { ...context.contexts, needs }, status }
  const endNotRun = (): JobEnd => ({ result: 'success', outputs: context.outputs.createDemo(job.id), stepRuns: [] })
  const isLocalCall = job.uses !== undefined && isLocalPath(job.uses.text)
  try {
    if (!evaluateCondition(job.if, scope)) {
      note(describeSkip(job, scope, 'job', context))
      return { result: 'skipped', outputs: {}, stepRuns: [] }
    }
    if (job.uses !== undefined && !isLocalCall) {
      note(`not run here, it calls the reusable workflow ${job.uses.text}`)
      return endNotRun()
    }
    return await runLegs(context, place, needs, scope)
  } catch (error) {
    if (!(error instanceof NotEvaluable)) throw error
    note(`not run here. ${error.message}`)
    const hasOwn = job.steps.some(
      ({ uses }) => typeof findOwnAction(uses?.text ?? '', context.project, context.workspace) === 'object',
    )
    const isMissed = hasOwn || isLocalCall
    return { ...endNotRun(), stepRuns: isMissed ? [createMissed(job.id, { stages }, paint)] : [] }
  }
}
