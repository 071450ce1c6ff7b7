import type { Stage, StepRun } from './run-model.ts'
import type { Job, Trigger } from './workflow-file.ts'

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

/** What makes two steps use the same pull request. Undefined for a step that opens its own, or none. */
function getConversation({ inputs, outputs }: StepRun): string | undefined {
  const { label = 'docs-agent', 'on-open-pr': onOpen = 'new', 'pr-repository': repository = '' } = inputs
  const isAsked = ['prompt', 'prompt-file', 'command'].some((name) => inputs[name])
  const isRolling = isAsked && onOpen !== 'new' && label !== '' && outputs['outcome'] !== 'skipped'
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

/** What can make the run of a step fail after the step. */
function findLaterFailure({ stages, later }: StepRun): string | undefined {
  if (later !== undefined) return `the step in line ${later.line}`
  for (const { job, siblings, legCount } of stages) {
    const other = siblings.find((one) => one !== job && !job.after.includes(one.id) && canFail(one))
    if (other !== undefined) return `the job ${other.id}`
    if (legCount > 1 && canFail(job)) return `another job of the matrix of ${job.id}`
  }
  return undefined
}

/** Steps whose change is sent again although they were green. */
function* findSentAgain(stepRuns: readonly StepRun[]): Generator<string> {
  for (const one of stepRuns) {
    const cause = one.inputs['change-range'] === 'since-last-success' ? findLaterFailure(one) : undefined
    if (cause === undefined) continue
    const change = 'Keep the agent in a workflow of its own, or add `continue-on-error: true` there.'
    yield `\`since-last-success\` counts whole runs: if ${cause} fails, the next run sends the same change again, and it is billed again. ${change}`
  }
}

/** The types that one release without a draft and a pre-release has (JS-DevTools/npm-publish#4). */
const RELEASE_TYPES = ['created', 'published', 'released']

/** Triggers that start several runs for one release. */
function* findRepeatedReleases(triggers: readonly Trigger[]): Generator<string> {
  for (const { event, line, filters } of triggers) {
    const types = RELEASE_TYPES.filter((type) => filters['types']?.patterns.includes(type) ?? true)
    if (event === 'release' && types.length > 1)
      yield `GitHub starts a run for each type of \`release\` (line ${line}), so one release is sent ${types.length} times: ${types.join(', ')}. Add \`types: [released]\`.`
  }
}

/** What a workflow does otherwise on GitHub, or at another time, one sentence or two for each. */
export const listAdvice = (stepRuns: readonly StepRun[], triggers: readonly Trigger[]): readonly string[] => [
  ...new Set([...findShared(stepRuns), ...findSentAgain(stepRuns), ...findRepeatedReleases(triggers)]),
]
