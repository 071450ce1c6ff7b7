/** What the functions of a step may take of it, in groups: see also `Facts`. */
import type { Step } from '../action/step.ts'
import { createTryReadJob, type TryReadJob } from '../docs-service/retry.ts'
import type { PullRequestAddress } from '../github/pull-requests.ts'
import type { AgentInputs, Facts } from './facts.ts'
import { Journal } from './journal.ts'
import { PullRequestReads } from './pull-request-reads.ts'
import { Recorder, type Run } from './record.ts'

/** Where the history of a pull request is. */
export interface HistoryRef {
  readonly pullRequest: PullRequestAddress
  readonly jobId: string
  /** Undefined: the comment has not been written yet. */
  readonly commentId?: number | undefined
  /** Whether an attempt to write the comment failed, so that it may exist nevertheless. */
  readonly mayExist?: boolean
  /** What this step has written to it last. */
  readonly written?: string
}

/** What the step knows of the history that it writes. */
export interface OwnHistory {
  ref: HistoryRef | undefined
  /** The indexes of turns of which the history may say that the agent is working, so that their rows must be completed. */
  readonly announced: Set<number>
  /** What is known of the step now, from which its rows are made. */
  readonly read: () => Run
}

/** Adds the clients, the clock and the log. A function that takes this says and writes nothing that readers of a report see. */
export interface Reads extends Facts, Step {
  /** The only one of the step, because it remembers which jobs were read. */
  readonly tryReadJob: TryReadJob
}

/** Adds what the step says and remembers. The record is not in it: what a function finds out, it returns or reports. */
export interface Acts extends Reads {
  readonly journal: Journal
  readonly pullRequests: PullRequestReads
  readonly history: OwnHistory
}

/** Opens a step, and the record of what is known about it. */
export function openAgentStep(inputs: AgentInputs, given: Step): { readonly step: Acts; readonly record: Recorder } {
  const [journal, pullRequests] = [new Journal(inputs, given), new PullRequestReads(given)]
  const record = new Recorder({ ...given, inputs }, journal, (job) => pullRequests.toCurrent(job))
  const getJob: Step['client']['getJob'] = async (...args) => pullRequests.toCurrent(await given.client.getJob(...args))
  const step = {
    ...given,
    client: { ...given.client, getJob },
    inputs,
    journal,
    pullRequests,
    history: { ref: undefined, announced: new Set<number>(), read: () => record.read() },
    tryReadJob: createTryReadJob(given.clock, given.signal),
  }
  return { step, record }
}
