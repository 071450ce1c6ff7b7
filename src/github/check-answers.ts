import * as z from 'zod/mini'
import { number, part, text } from './parse-answer.ts'

/** The name of the app that runs workflows. */
export const ACTIONS = 'github-actions'

const progress = { status: text, conclusion: text }
const app = z.pipe(
  part(z.object({ slug: text })),
  z.transform((of) => of?.slug ?? ''),
)

export const checkRunSchema = z.object({
  ...{ ...progress, id: number, name: text, app, details_url: text, html_url: text },
  ...{ started_at: text, completed_at: text },
  check_suite: part(z.object({ id: number })),
  output: part(z.object({ title: text, summary: text, annotations_count: number })),
})
export type CheckRun = z.infer<typeof checkRunSchema>

export const checkSuiteSchema = z.object({
  ...{ ...progress, id: number, app },
  latest_check_runs_count: z.catch(z.number(), 0),
})
export type CheckSuite = z.infer<typeof checkSuiteSchema>

export const workflowRunSchema = z.object({
  ...{ ...progress, id: z.number(), check_suite_id: number, check_suite_url: text },
  ...{ workflow_id: number, path: text, event: text, run_started_at: text },
})
export type WorkflowRun = z.infer<typeof workflowRunSchema>

export const commitStatusSchema = z.object({ context: text, state: text, description: text, target_url: text })
export type CommitStatus = z.infer<typeof commitStatusSchema>

type Progress = Pick<CheckRun, 'status' | 'conclusion'>

/** Conclusions that branch protection takes for passed. All others, such as `cancelled` and `stale`, are failures. */
const PASSED = ['success', 'neutral', 'skipped']

export type State = 'success' | 'failure' | 'pending'

/** What does not say how it ended has not ended. */
export function stateOf({ status, conclusion }: Progress): State {
  if (status !== 'completed' || conclusion === undefined) return 'pending'
  return PASSED.includes(conclusion) ? 'success' : 'failure'
}

/** Whether it is a job that is to use an environment which somebody guards, or all of whose run is. */
export function isWaiting({ status }: Progress): boolean {
  return status === 'waiting'
}

export function stateOfStatus(state: string | undefined): State {
  if (state === 'success' || state === 'pending') return state
  return state === undefined ? 'pending' : 'failure'
}
