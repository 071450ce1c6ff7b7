import type { JobStatus } from '../../docs-service/interface.ts'
import { HOSTILE_TEXT } from './hostile-text.ts'
import { type JobRecord, type JobState, getJobState } from './job-machine.ts'
import type { Scenario } from './scenarios.ts'

/** The agent's repository, unless the project has another one. */
export const SOURCE = { repository: 'acme/docs', ref: 'main' } as const
const MODEL = 'docs-writer-1'

/** A job as the service sends it (section 2.1). */
export interface JobBody {
  readonly id: string
  readonly status: JobStatus
  readonly source: { readonly repository: string; readonly ref: string | null }
  readonly model: string
  readonly prLink: string | null
  readonly createdAt: string
  readonly archivedAt: string | null
}

type SentJob = Omit<JobBody, 'status'> & Pick<JobState, 'status'>

function formatTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

function toPlainBody(job: JobRecord, nowMs: number, baseUrl: string): SentJob {
  const { status, pullRequest, archivedAtMs } = getJobState(job, nowMs)
  return {
    id: job.id,
    status,
    source: { ...SOURCE, repository: job.repository },
    model: MODEL,
    prLink: pullRequest === 'linked' ? `${baseUrl}/${job.repository}/pull/${job.pullNumber}` : null,
    createdAt: formatTime(job.createdAtMs),
    archivedAt: archivedAtMs === undefined ? null : formatTime(archivedAtMs),
  }
}

/** A valid query that contains Markdown, HTML, a mention and a workflow command. */
const HOSTILE_QUERY = `?a=](b)|<i>@all&c=##[error]d'"\``

const TEXTS: Readonly<Record<Scenario['texts'], (job: SentJob) => object>> = {
  plain: (job) => job,
  sparse: ({ id, status, prLink }) => (prLink === null ? { id, status } : { id, status, prLink }),
  hostile: (job) => ({
    ...job,
    source: { repository: `${job.source.repository}${HOSTILE_TEXT}`, ref: `${SOURCE.ref}${HOSTILE_TEXT}` },
    model: `${MODEL}${HOSTILE_TEXT}`,
    prLink: job.prLink && `${job.prLink}${HOSTILE_QUERY}`,
  }),
}

/** @param baseUrl without a trailing slash */
export function toJobBody(job: JobRecord, nowMs: number, baseUrl: string, texts: Scenario['texts']): object {
  return TEXTS[texts](toPlainBody(job, nowMs, baseUrl))
}
