import type { Checks } from './checks.ts'
import type { Comments } from './comments.ts'
import type { Commits } from './commits.ts'
import type { Comparisons } from './comparisons.ts'
import type { Usage } from './conditional-requests.ts'
import type { JobLogs } from './job-log.ts'
import type { Labels } from './labels.ts'
import type { Permissions } from './permissions.ts'
import type { PullRequests } from './pull-requests.ts'
import type { Reviewers } from './reviewers.ts'
import type { Tags } from './tags.ts'
import type { WorkflowRuns } from './workflow-runs.ts'

export interface Resources
  extends
    Checks,
    Comments,
    Commits,
    Comparisons,
    JobLogs,
    Labels,
    Permissions,
    PullRequests,
    Reviewers,
    Tags,
    WorkflowRuns {}

/** What this action asks of the host of a repository. All of it throws `ActionError` and nothing else. */
export interface GitHub extends Resources {
  /** What of the requests so far GitHub has counted. */
  readonly usage: () => Usage
  /**
   * The same, with a deadline of its own, on the clock's scale.
   * @param signal in the place of that which aborts when the run is cancelled
   */
  readonly until: (deadlineAt: number, signal?: AbortSignal) => GitHub
}
