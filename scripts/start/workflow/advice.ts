import { BRANCH_EVENTS } from '../../../src/github/workflow-runs.ts'
import type { Stage, StepRun, Texts } from './run-model.ts'
import { isTextCondition } from './expressions.ts'
import type { Template } from './located.ts'
import type { Job, Trigger, Workflow } from './workflow-file.ts'

/** The job of a step, with those that call its workflow. */
const nameJob = ({ stages }: StepRun): string => stages.map(({ job }) => job.id).join(' / ')

/** Whether GitHub can run the jobs of two steps at the same time. */
function areParallel(one: readonly Stage[], other: readonly Stage[]): boolean {
  const at = one.findIndex((stage, index) => {
    const beside = other[index]
    return stage.job !== beside?.job || stage.leg !== beside.leg
  })
  const [a, b] = [one[at], other[at]]
  if (a === undefined || b === undefined) return false
  if (a.job === b.job) return a.maxParallel > 1
  return !a.job.after.includes(b.job.id) && !b.job.after.includes(a.job.id)
}

const hasPrompt = (inputs: Texts): boolean => ['prompt', 'prompt-file', 'command'].some((name) => inputs[name])

/** Whether a step sends a prompt for this change, or for another one. */
const canSend = ({ step, inputs, outputs }: StepRun): boolean =>
  step !== undefined && hasPrompt(inputs) && !['previewed', undefined].includes(outputs['outcome'])

/** What makes two steps use the same pull request. Undefined for a step that opens its own, or none. */
function getConversation({ inputs, outputs }: StepRun): string | undefined {
  const { label = 'docs-agent', 'on-open-pr': onOpen = 'new', 'pr-repository': repository = '' } = inputs
  const isRolling = hasPrompt(inputs) && onOpen !== 'new' && label !== '' && outputs['outcome'] !== 'skipped'
  return isRolling ? JSON.stringify([label, onOpen, repository]) : undefined
}

/** Steps that share a pull request here, and open one each on GitHub. */
function* findShared(stepRuns: readonly StepRun[]): Generator<string> {
  for (const [index, one] of stepRuns.entries()) {
    const conversation = getConversation(one)
    const other = stepRuns
      .slice(0, index)
      .find((before) => getConversation(before) === conversation && areParallel(before.stages, one.stages))
    if (conversation === undefined || other === undefined) continue
    const names =
      nameJob(one) === nameJob(other) ? `The jobs of ${nameJob(one)}` : `${nameJob(other)} and ${nameJob(one)}`
    const label = one.inputs['label'] ?? 'docs-agent'
    const change = 'Give each its own `label`, or let one wait for the other with `needs` or `max-parallel: 1`.'
    yield `${names} share the label ${label}. GitHub runs them at the same time, so without an open pull request each of them opens one. ${change}`
  }
}

/** Whether a step or job can make a run red that is green so far. */
export const canFail = ({ mayFail, if: condition }: Pick<Job, 'mayFail' | 'if'>): boolean =>
  mayFail?.text !== 'true' && !/\bfailure\s*\(/.test(condition?.text ?? '')

interface LaterFailure {
  readonly cause: string
  readonly change: string
}

const SEPARATE_ADVICE = 'Keep the agent in a workflow of its own, or add `continue-on-error: true` there.'
/** With `continue-on-error`, the change of a red job would be lost. */
const RERUN_ADVICE = 'To send it only to the jobs that failed, choose “Re-run failed jobs” before the next run starts.'

/** What can make the run of a step fail after the step. */
function findLaterFailure({ stages, later }: StepRun): LaterFailure | undefined {
  if (later !== undefined) return { cause: `the step in line ${later.line}`, change: SEPARATE_ADVICE }
  for (const { job, siblings, legCount } of stages) {
    const other = siblings.find((one) => one !== job && !job.after.includes(one.id) && canFail(one))
    if (other !== undefined) return { cause: `the job ${other.id}`, change: SEPARATE_ADVICE }
    if (legCount > 1 && canFail(job)) return { cause: `another job of the matrix of ${job.id}`, change: RERUN_ADVICE }
  }
  return undefined
}

/** Steps whose change is sent again although they were green. */
function* findSentAgain(stepRuns: readonly StepRun[]): Generator<string> {
  for (const one of stepRuns) {
    const failure = one.inputs['change-range'] === 'since-last-success' ? findLaterFailure(one) : undefined
    if (failure !== undefined)
      yield `\`since-last-success\` counts whole runs: if ${failure.cause} fails, the next run sends the same change again, and it is billed again. ${failure.change}`
  }
}

/** Whether a job can succeed in a run in which another one is skipped. */
const canSucceedWithout = (one: Job, other: Job): boolean =>
  one !== other && (!one.after.includes(other.id) || /\b(?:always|cancelled)\s*\(/.test(one.if?.text ?? ''))

/** What is the same in each run of a branch, or in each green one. Words in quotes are no names. */
const SAME_IN_GREEN_RUNS =
  /\b(?:steps\.[\w-]+\.(?:outcome|conclusion)|needs\.[\w-]+\.result)\s*(?:==\s*'success'|!=\s*'failure')|'[^']*'|\bgithub\.(?:ref|workflow|(?:event\.)?repository)[\w.]*/g

/** Whether a condition can be true in one green run of a branch, and false in another that moves the base. */
function canDiffer(condition: string, triggers: readonly Trigger[]): boolean {
  const baseEvents = triggers.filter(({ event }) => BRANCH_EVENTS.includes(event))
  const rest = condition.replaceAll(SAME_IN_GREEN_RUNS, '')
  const differing = baseEvents.length > 1 ? rest : rest.replaceAll('github.event_name', '')
  return /\b(?:vars|github|needs|steps|env|inputs)\b/.test(differing)
}

/** The condition that can skip a step in a green run. */
function findSkip({ step, stages }: StepRun, triggers: readonly Trigger[]): Template | undefined {
  const apart = stages.filter(({ job, siblings }) => siblings.some((one) => canSucceedWithout(one, job)))
  return [step, ...apart.map(({ job }) => job)]
    .map((one) => one?.if)
    .find((condition) => canDiffer(condition?.text ?? '', triggers))
}

/** Steps that are red or skipped in a green run, which moves the base of the next range (VGonPa/xbrain#121). */
function* findLostChanges(stepRuns: readonly StepRun[], triggers: readonly Trigger[]): Generator<string> {
  for (const one of stepRuns) {
    if (one.inputs['change-range'] !== 'since-last-success') continue
    const base = '`since-last-success` begins after each green run'
    const tolerant = [one.step, ...one.stages.map(({ job }) => job)].find((each) => each?.mayFail?.text === 'true')
    if (tolerant?.mayFail !== undefined)
      yield `\`continue-on-error\` (line ${tolerant.mayFail.line}) makes the run green even if the agent's step is red, and ${base}: a change that the step could not send is never sent. Remove it.`
    const skip = findSkip(one, triggers)
    if (skip !== undefined)
      yield `The \`if\` in line ${skip.line} can skip the agent's step in a green run, and ${base}: a change that earlier runs missed is never sent. Keep the agent in a workflow of its own, with the condition on its only job.`
  }
}

/** The default of `timeout-minutes`. */
const DEFAULT_TIMEOUT_MINUTES = 60

/** Steps that GitHub ends before their own timeout. */
function* findEarlyEnds(stepRuns: readonly StepRun[]): Generator<string> {
  for (const { inputs, outputs, stages, step, limit } of stepRuns) {
    const timeoutMinutes = Number(inputs['timeout-minutes'] ?? '') || DEFAULT_TIMEOUT_MINUTES
    const waits = step !== undefined && !['submitted', 'previewed', undefined].includes(outputs['outcome'])
    if (!waits || limit === undefined || limit.minutes > timeoutMinutes) continue
    const ended = limit.of === 'step' ? 'step' : `job ${stages.at(-1)?.job.id ?? ''}`
    yield `GitHub ends the ${ended} after ${limit.minutes} minutes, and the agent's step would wait for ${timeoutMinutes}. The agent goes on, is billed, and its pull request stays unmarked, so that the next change opens another one. Set the input \`timeout-minutes\` to less than ${limit.minutes}.`
  }
}

/** The expressions that are the same for each push to a branch. */
const SAME_FOR_PUSHES = /\$\{\{\s*github\.(?:workflow|ref|ref_name|repository|event_name)\s*\}\}/g

/** With one of these, each run has a group of its own. */
const SEPARATE_FOR_RUNS = /\bgithub\.(?:run_id|run_number|sha)\b/

/** Whether pushes to a branch start runs. Tags never share `github.ref`, and no later run covers the change of a tag. */
function isBranchPush({ event, filters }: Trigger): boolean {
  const has = (name: string): boolean => (filters[name] ?? filters[`${name}-ignore`]) !== undefined
  return event === 'push' && (has('branches') || !has('tags'))
}

/** Groups in which runs are cancelled or replaced, and what is lost with them (devantler-tech/ksail#7079). */
function* findLostRuns(
  stepRuns: readonly StepRun[],
  { triggers, concurrency }: Pick<Workflow, 'triggers' | 'concurrency'>,
): Generator<string> {
  const isPushed = triggers.some(isBranchPush)
  for (const { stages, inputs } of stepRuns.filter(canSend)) {
    for (const group of [concurrency, ...stages.map(({ job }) => job.concurrency)]) {
      if (group === undefined || SEPARATE_FOR_RUNS.test(group.group)) continue
      const { line, cancels, isQueue } = group
      if (cancels)
        yield `With \`cancel-in-progress: true\` (line ${line}), a new run cancels the one before, but not its agent, which is billed. The pull request stays unmarked, so that the new run opens another one. Set it to \`false\`.`
      const isShared = !group.group.replaceAll(SAME_FOR_PUSHES, '').includes('${{')
      const needsAll = (inputs['change-context'] ?? 'none') !== 'none' || Boolean(inputs['paths'])
      if (isPushed && isShared && needsAll && !isQueue && !inputs['change-range'])
        yield `Of several pushes that wait in the \`concurrency\` group (line ${line}), GitHub runs only the newest, and the changes of the others are never sent. Add \`change-range: since-last-success\`.`
    }
  }
}

/** Conditions that GitHub takes for a text. */
function* findAlwaysTrue(jobs: readonly Job[]): Generator<string> {
  for (const { if: condition } of jobs.flatMap((job) => [job, ...job.steps]))
    if (condition !== undefined && isTextCondition(condition))
      yield `The \`if\` in line ${condition.line} is always true, because it has text around \`\${{ }}\`. Write it without \`\${{\` and \`}}\`.`
}

/** The types that one release without a draft and a pre-release has (JS-DevTools/npm-publish#4). */
const RELEASE_TYPES = ['created', 'published', 'released']

/** Whether a condition chooses the types of an event for a step. */
const choosesTypes = ({ step, stages }: StepRun): boolean =>
  [step, ...stages.map(({ job }) => job)].some((one) => /\bgithub\.event\.action\b/.test(one?.if?.text ?? ''))

/** Triggers that start several runs for one release. */
function* findRepeatedReleases(stepRuns: readonly StepRun[], triggers: readonly Trigger[]): Generator<string> {
  if (!stepRuns.some((one) => canSend(one) && !choosesTypes(one))) return
  for (const { event, line, filters } of triggers) {
    const types = RELEASE_TYPES.filter((type) => filters['types']?.patterns.includes(type) ?? true)
    if (event === 'release' && types.length > 1)
      yield `GitHub starts a run for each type of \`release\` (line ${line}), so one release is sent ${types.length} times: ${types.join(', ')}. Add \`types: [released]\`.`
  }
}

/** Pushes of tags and to other branches, which people forget (apache/infrastructure-actions#1107). */
function* findUnfilteredPushes(
  stepRuns: readonly StepRun[],
  triggers: readonly Trigger[],
  jobs: readonly Job[],
): Generator<string> {
  if (!stepRuns.some(canSend)) return
  const called = stepRuns.flatMap(({ stages }) => stages.map(({ job }) => job))
  const conditions = [...jobs, ...called].flatMap((job) => [job, ...job.steps]).map((one) => one.if?.text ?? '')
  if (conditions.some((condition) => /\bref(?:_name|_type)?\b/.test(condition))) return
  for (const { event, line, filters } of triggers)
    if (event === 'push' && !Object.keys(filters).some((name) => /^(?:branches|tags)/.test(name)))
      yield `\`push\` without \`branches\` (line ${line}) also starts the agent for every other branch and for tags, and each prompt is billed. Add \`branches\` with your default branch.`
}

/**
 * A file that GitHub overlooks, such as `docs.yml.txt` (napari/napari-plugin-template#25). For a Markdown page, `npm start` runs the
 * workflow in it.
 */
function* findOverlooked(path: string): Generator<string> {
  const [, place] = /^.*[\\/]\.github[\\/](.*)$/.exec(path) ?? []
  const isMisplaced = place !== undefined && !/^workflow(?:s|-templates)[\\/][^\\/]+$/.test(place)
  if (isMisplaced || !/\.(?:ya?ml|md)$/.test(path))
    yield 'GitHub runs only files in `.github/workflows` whose names end in `.yml` or `.yaml`. Move or rename this one.'
}

/**
 * What a workflow does otherwise on GitHub, or at another time, one sentence or more for each.
 * @param triggers those that were played
 * @param path of the workflow file
 */
export const listAdvice = (
  stepRuns: readonly StepRun[],
  triggers: readonly Trigger[],
  workflow: Workflow,
  path: string,
): readonly string[] => [
  ...new Set([
    ...findOverlooked(path),
    ...findAlwaysTrue(workflow.jobs),
    ...findLostRuns(stepRuns, workflow),
    ...findEarlyEnds(stepRuns),
    ...findShared(stepRuns),
    ...findSentAgain(stepRuns),
    ...findLostChanges(stepRuns, workflow.triggers),
    ...findRepeatedReleases(stepRuns, triggers),
    ...findUnfilteredPushes(stepRuns, triggers, workflow.jobs),
  ]),
]
