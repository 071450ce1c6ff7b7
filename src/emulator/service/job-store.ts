import { type JobRecord, type TurnPlan, planTurn } from './job-machine.ts'
import { USUAL_TURN } from './scenarios.ts'

const HOUR_MS = 3_600_000

export interface JobStore {
  /** Gives a project the jobs that it has from the start; `plan` is how the one that runs goes. */
  enter(projectId: string, plan: TurnPlan): void
  create(projectId: string, prompt: string, plan: TurnPlan, nowMs: number): JobRecord
  /** `plan` is how the job that runs from the start goes, where this project was not asked for before. */
  find(projectId: string, jobId: string, plan: TurnPlan): JobRecord | undefined
  findByPullNumber(pullNumber: number): JobRecord | undefined
  replace(job: JobRecord): void
  /** Of all projects, in the order of their pull requests. */
  all(): Iterable<JobRecord>
}

interface SeedJob {
  readonly id: string
  readonly prompt: string
  /** From its creation to the start of the service. */
  readonly ageMs: number
  readonly plan: TurnPlan
}

/** The jobs that every project has from the start, so that following up and attaching can be tried at once. */
function seedJobs(plan: TurnPlan): readonly SeedJob[] {
  return [
    { id: 'job_finished', prompt: 'Describe the configuration file.', ageMs: HOUR_MS, plan: USUAL_TURN },
    { id: 'job_running', prompt: 'Document every error code.', ageMs: 0, plan },
    {
      id: 'job_archived',
      prompt: 'Rewrite the changelog.',
      ageMs: 2 * HOUR_MS,
      plan: { ...USUAL_TURN, ending: 'archived' },
    },
  ]
}

/**
 * Keeps the jobs of all projects. Ids of created jobs count up from `job_000001`, and pull requests from 1, over all
 * projects, because their links do not name the project.
 */
export function createJobStore(startMs: number): JobStore {
  const projects = new Map<string, Map<string, JobRecord>>()
  const byPullNumber = new Map<number, JobRecord>()
  let createdJobs = 0
  let pullRequests = 0

  function keep(job: JobRecord): JobRecord {
    projects.get(job.projectId)?.set(job.id, job)
    byPullNumber.set(job.pullNumber, job)
    return job
  }

  function open(projectId: string, id: string, prompt: string, plan: TurnPlan, createdAtMs: number): JobRecord {
    pullRequests += 1
    const turns = [planTurn(prompt, plan, createdAtMs)] as const
    return keep({ id, projectId, createdAtMs, pullNumber: pullRequests, turns })
  }

  function enter(projectId: string, plan: TurnPlan): void {
    if (projects.has(projectId)) return
    projects.set(projectId, new Map())
    for (const seed of seedJobs(plan)) open(projectId, seed.id, seed.prompt, seed.plan, startMs - seed.ageMs)
  }

  return {
    enter,
    create(projectId, prompt, plan, nowMs) {
      enter(projectId, plan)
      createdJobs += 1
      return open(projectId, `job_${String(createdJobs).padStart(6, '0')}`, prompt, plan, nowMs)
    },
    find(projectId, jobId, plan) {
      enter(projectId, plan)
      return projects.get(projectId)?.get(jobId)
    },
    findByPullNumber: (pullNumber) => byPullNumber.get(pullNumber),
    replace: keep,
    all: () => byPullNumber.values(),
  }
}
