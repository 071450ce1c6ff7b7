/**
 * How the documentation service names its paths, the fields of a prompt and of a job, and the statuses. A service that calls the status `state`
 * would be another object of this shape.
 */
export const DIALECT = {
  paths: {
    jobs: (projectId: string) => `/v2/agent/${projectId}/job`,
    job: (projectId: string, jobId: string) => `/v2/agent/${projectId}/job/${jobId}`,
    messages: (projectId: string, jobId: string) => `/v2/agent/${projectId}/job/${jobId}/message`,
    visitors: (projectId: string) => `/v1/analytics/${projectId}/visitors`,
  },
  fields: {
    prompt: 'prompt',
    id: 'id',
    status: 'status',
    source: 'source',
    repository: 'repository',
    ref: 'ref',
    model: 'model',
    prLink: 'prLink',
    createdAt: 'createdAt',
  },
  /** Our statuses of a job, and the service's words for them. Any other word counts as `active`. */
  statuses: { active: 'active', completed: 'completed', archived: 'archived', failed: 'failed' },
} as const
