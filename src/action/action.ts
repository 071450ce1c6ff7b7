import type { Conclusion } from './conclusion.ts'
import type { ActionError } from '../runtime/errors.ts'
import type { RawInputs } from './parse-inputs.ts'
import type { Redact } from '../text/redact.ts'
import type { connectGitHub } from '../github/github.ts'
import type { Step, StepInputs } from './step.ts'

/** What the inputs are read against. */
export interface InputSurroundings {
  readonly workspace: string
  readonly now: Date
}

export type OnCrash<Report> = (tellKnown: (error: ActionError) => Report) => void

/** One action, as the runner's side sees it: what every action does at its start and end is written there, once. */
export interface Action<Inputs extends StepInputs, Report> {
  readonly inputNames: readonly string[]
  /** Outputs that hold until the step has an end: what nobody wrote would read as if the step had not run. */
  readonly firstOutputs: Readonly<Record<string, string>>
  /** Left out by an action that never asks GitHub. */
  readonly connectGitHub?: typeof connectGitHub
  /** @throws ActionError `invalid-input` that names every problem */
  readonly parse: (raw: RawInputs, surroundings: InputSurroundings) => Inputs
  /** Throws only what nobody foresaw; what is known of such a step is asked of what `onCrash` was given last. */
  readonly run: (inputs: Inputs, step: Step, onCrash: OnCrash<Report>) => Promise<Report>
  /** The report of a step that asked nothing: stopped by an error, or skipped for want of a key. */
  readonly notRun: (error: ActionError | undefined, durationMs: number) => Report
  /** @param inputs undefined if the step did not run */
  readonly render: (report: Report, inputs: Inputs | undefined, redact: Redact) => Rendered
}

/** A report in the forms in which the runner takes it. */
export interface Rendered {
  readonly conclusion: Conclusion
  /** The one text of the annotation, or of the log's last line. */
  readonly text: string
  readonly outputs: Readonly<Record<string, string>>
  /** Markdown. It is made if it is wanted. */
  readonly summary: () => string
  readonly notice?: { readonly title: string; readonly text: string }
}
