import type { Context } from '../../../src/action/step.ts'
import type { AgentInputs } from '../../../src/agent/facts.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { ActionError, describeError } from '../../../src/runtime/errors.ts'
import type { Assumptions } from '../clone-options.ts'
import { createDemoOutputs, createDemoValues, createGitHubContext } from '../workflow/contexts.ts'
import {
  DemoValues,
  evaluateCondition,
  evaluateText,
  evaluateTexts,
  explainDemoValues,
  type Scope,
} from '../workflow/expressions.ts'
import { listCombinations } from '../workflow/matrix.ts'
import { findOwnAction } from '../workflow/own-actions.ts'
import type { Job, Step, Workflow } from '../workflow/workflow-file.ts'
import { createCloneGitHub, listMergedPullRequests } from './clone-github.ts'
import { createCompare, createDetailedCompare, type PushHistory } from './compare-pushes.ts'
import type { Conversations } from './conversations.ts'
import { createInputParser, decideStep, type PromptSize } from './decide-step.ts'
import type { TriggerEvent } from './list-trigger-events.ts'

type Texts = Readonly<Record<string, string>>

export interface Prompt {
  readonly atMs: number
  readonly isFollowUp: boolean
  /** Without line counts and hunks. */
  readonly size: PromptSize
  /** Reads the line counts and hunks, which takes longer. */
  readonly measure: () => Promise<PromptSize>
}

/** What a workflow is run with. */
export interface Stage {
  readonly workflow: Workflow
  readonly fileName: string
  /** The folder of this project. */
  readonly project: string
  /** The defaults of this action's inputs. */
  readonly defaults: Texts
  readonly vars: Texts
  readonly history: PushHistory
  readonly assumptions: Assumptions
}

/** A run of the workflow. */
export interface PlannedRun {
  readonly triggerEvent: TriggerEvent
  readonly id: number
  /** Later than the event if the run has waited. */
  readonly startMs: number
  /** The head commit of the last successful run. */
  readonly lastSuccess: string
  readonly conversations: Conversations
}

interface CompletedStep {
  readonly kind: 'skipped' | 'red' | 'prompt'
  readonly reason: string
  readonly prompt?: Prompt
  readonly outputs: unknown
  readonly durationMs: number
}

interface CompletedJob {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: unknown
  /** The steps of this action. */
  readonly steps: readonly CompletedStep[]
  readonly endMs: number
  /** Why the job was skipped. */
  readonly skipReason?: string
}

export interface CompletedRun {
  readonly kind: 'not-started' | 'skipped' | 'prompt' | 'red'
  /** Empty for a prompt. */
  readonly reason: string
  readonly prompts: readonly Prompt[]
  readonly endMs: number
  /** Whether a later range can begin at this run. */
  readonly isSuccess: boolean
}

/** A run without a prompt. */
const SHORT_RUN_MS = 30_000
const TOKEN = 'ghs_demo'
const SERVER_URL = 'https://github.com'

const withoutNumber = (reason: string): string => reason.replace(/Pull request #\d+/g, 'An open pull request')

/** What the steps of this action in a run come to. */
function conclude(jobs: readonly CompletedJob[]): Pick<CompletedRun, 'kind' | 'reason' | 'prompts'> {
  const steps = jobs.flatMap((job) => job.steps)
  const prompts = steps.flatMap(({ prompt }) => prompt ?? [])
  const getReason = (kind: CompletedStep['kind']): string => steps.find((step) => step.kind === kind)?.reason ?? ''
  if (jobs.some(({ result }) => result === 'failure')) return { kind: 'red', reason: getReason('red'), prompts }
  if (prompts.length > 0) return { kind: 'prompt', reason: '', prompts }
  const skipReason = jobs.find((job) => job.skipReason !== undefined)?.skipReason
  if (steps.length === 0 && skipReason !== undefined) return { kind: 'not-started', reason: skipReason, prompts }
  return { kind: 'skipped', reason: getReason('skipped') || getReason('red'), prompts }
}

const describeIf = ({ if: condition, line }: Job | Step, scope: Scope): string =>
  `(line ${condition?.line ?? line}) is false${condition === undefined ? '' : explainDemoValues(condition.text, scope)}`

/** Simulates runs of a workflow: the decisions of the steps of this action. All other steps succeed. */
export function openRuns(stage: Stage): (run: PlannedRun) => Promise<CompletedRun> {
  const { workflow, history, assumptions, fileName } = stage
  const { clone } = history
  const parseInputs = createInputParser(stage.defaults, clone.folder)
  const [compare, compareInDetail] = [createCompare(history), createDetailedCompare(history)]
  const merged = listMergedPullRequests(history.pushes)
  const secrets = createDemoValues({ GITHUB_TOKEN: TOKEN })
  const vars = createDemoValues({ DOCS_AGENT_PAUSED: '', ...stage.vars })

  const isOwnStep = ({ uses }: Step): boolean => {
    const own = findOwnAction(uses?.text ?? '', stage.project, clone.folder)
    // Not the other actions of this project.
    return typeof own === 'object' && own.inputs.includes('change-range')
  }

  function createContexts({ triggerEvent, id }: PlannedRun): Scope['contexts'] {
    const { event, actor, sha, payload } = triggerEvent
    const [ref, repository] = [`refs/heads/${clone.branch}`, clone.repository]
    const run = { event, payload, ref, sha, id, number: id, workflow: workflow.name ?? fileName, repository }
    const others = { actor, triggering_actor: actor, token: TOKEN, workspace: clone.folder, server_url: SERVER_URL }
    return { github: createGitHubContext(run, others).github, vars, secrets, inputs: {} }
  }

  function createStepContext({ triggerEvent, id }: PlannedRun, step: Step, jobId: string): Context {
    const { event, actor, sha, payload } = triggerEvent
    return {
      event: parseEvent(event, payload, actor),
      eventName: event,
      actor,
      sha,
      refName: clone.branch,
      repository: clone.repository,
      runId: id,
      runAttempt: 1,
      workflowJob: jobId,
      stepId: step.id ?? '',
      runnerStepId: step.id ?? `__${step.line}`,
      workflow: fileName,
      serverUrl: SERVER_URL,
      apiUrl: 'https://api.github.com',
      isRehearsal: false,
    }
  }

  async function runStep(
    run: PlannedRun,
    step: Step,
    jobId: string,
    scope: Scope,
    atMs: number,
  ): Promise<CompletedStep> {
    const context = createStepContext(run, step, jobId)
    const { lastSuccess, conversations } = run
    const decide = (inputs: AgentInputs, using = compare) =>
      decideStep(inputs, context, createCloneGitHub({ context, compare: using, merged, lastSuccess }))
    const end = (kind: 'skipped' | 'red', reason: string): CompletedStep => {
      const outputs = new DemoValues({ outcome: kind === 'red' ? 'error' : kind }, () => '')
      return { kind, reason, outputs, durationMs: SHORT_RUN_MS }
    }
    try {
      const inputs = parseInputs({ 'github-token': TOKEN, ...evaluateTexts(step.with, scope) })
      if (inputs.command !== '') return end('skipped', 'The event is no comment.')
      const decided = await decide(inputs)
      if (decided.kind !== 'prompt') return end(decided.kind, decided.reason)
      if (inputs.task.kind === 'attach') return end('skipped', 'The step only waits for a job.')
      if (inputs.dryRun) return end('skipped', '`dry-run` is `true`.')
      const sent = conversations.send(decided.step, atMs)
      if (sent === undefined) return end('skipped', 'A pull request of the agent is open.')
      const { isFollowUp, number } = sent
      const { size } = decided
      const measure = async (): Promise<PromptSize> => {
        const again = await decide(inputs, compareInDetail)
        return again.kind === 'prompt' ? again.size : size
      }
      const outputs = {
        outcome: number === undefined ? 'no-changes' : 'pull-request',
        changed: String(number !== undefined),
        'job-id': 'job_replay',
        'pr-number': String(number ?? ''),
        'pr-link': number === undefined ? '' : `${SERVER_URL}/${clone.repository}/pull/${number}`,
      }
      return {
        kind: 'prompt',
        reason: '',
        prompt: { atMs, isFollowUp, size, measure },
        outputs: new DemoValues(outputs, () => ''),
        durationMs: inputs.wait ? assumptions.jobMs : SHORT_RUN_MS,
      }
    } catch (error) {
      if (error instanceof ActionError) return end('red', withoutNumber(describeError(error)))
      throw error
    }
  }

  /** Runs a job with one combination of its matrix. */
  async function runLeg(run: PlannedRun, job: Job, contexts: Scope['contexts'], atMs: number): Promise<CompletedJob> {
    const steps: Record<string, unknown> = {}
    const completed: CompletedStep[] = []
    let status: 'success' | 'failure' = 'success'
    let env: Texts = {}
    let nowMs = atMs
    const getScope = (ofStep: Texts = {}): Scope => ({
      contexts: { ...contexts, steps, env: { ...env, ...ofStep }, job: { status } },
      status,
    })
    env = evaluateTexts(workflow.env, getScope())
    env = { ...env, ...evaluateTexts(job.env, getScope()) }
    for (const [index, step] of job.steps.entries()) {
      const id = step.id ?? `__step_${index + 1}`
      if (!isOwnStep(step)) {
        steps[id] = { outcome: 'success', conclusion: 'success', outputs: createDemoOutputs(id) }
        continue
      }
      const scope = getScope(evaluateTexts(step.env, getScope()))
      if (!evaluateCondition(step.if, scope)) {
        const reason = `The \`if\` of the step ${describeIf(step, scope)}.`
        completed.push({ kind: 'skipped', reason, outputs: {}, durationMs: 0 })
        steps[id] = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
        continue
      }
      const one = await runStep(run, step, job.id, scope, nowMs)
      const mayFail = step.mayFail !== undefined && evaluateText(step.mayFail, scope) === 'true'
      const outcome = one.kind === 'red' ? 'failure' : 'success'
      steps[id] = { outcome, conclusion: mayFail ? 'success' : outcome, outputs: one.outputs }
      if (outcome === 'failure' && !mayFail) status = 'failure'
      nowMs += one.durationMs
      completed.push(one)
    }
    return { result: status, outputs: evaluateTexts(job.outputs, getScope()), steps: completed, endMs: nowMs }
  }

  async function runJob(
    run: PlannedRun,
    job: Job,
    ofRun: Scope['contexts'],
    ended: ReadonlyMap<string, CompletedJob>,
  ): Promise<CompletedJob> {
    const before = job.after.flatMap((id) => ended.get(id) ?? [])
    const atMs = Math.max(run.startMs, ...before.map(({ endMs }) => endMs))
    if (!job.steps.some(isOwnStep))
      return { result: 'success', outputs: createDemoOutputs(job.id), steps: [], endMs: atMs }
    const needs = Object.fromEntries(
      job.needs.map((id) => [id, { result: ended.get(id)?.result, outputs: ended.get(id)?.outputs }]),
    )
    const isFailed = before.some(({ result }) => result === 'failure')
    const isComplete = before.every(({ result }) => result === 'success')
    const contexts = { ...ofRun, needs }
    const scope: Scope = { contexts, status: isFailed ? 'failure' : isComplete ? 'success' : 'skipped' }
    if (!evaluateCondition(job.if, scope)) {
      const skipReason = `the \`if\` of the job ${job.id} ${describeIf(job, scope)}`
      return { result: 'skipped', outputs: {}, steps: [], endMs: atMs, skipReason }
    }
    const legs: CompletedJob[] = []
    for (const matrix of listCombinations(job.matrix, scope))
      legs.push(await runLeg(run, job, { ...contexts, matrix }, atMs))
    return {
      result: legs.some(({ result }) => result === 'failure') ? 'failure' : 'success',
      outputs: legs.at(-1)?.outputs ?? {},
      steps: legs.flatMap(({ steps }) => steps),
      endMs: Math.max(atMs + SHORT_RUN_MS, ...legs.map(({ endMs }) => endMs)),
    }
  }

  return async (run) => {
    const contexts = createContexts(run)
    const ended = new Map<string, CompletedJob>()
    for (const job of workflow.jobs) ended.set(job.id, await runJob(run, job, contexts, ended))
    const jobs = [...ended.values()]
    const concluded = conclude(jobs)
    return {
      ...concluded,
      endMs: Math.max(run.startMs, ...jobs.map(({ endMs }) => endMs)),
      isSuccess: concluded.kind !== 'red' && jobs.some(({ result }) => result === 'success'),
    }
  }
}
