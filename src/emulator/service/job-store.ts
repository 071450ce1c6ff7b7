import { type JobRecord, type TurnPlan, planTurn } from './job-machine.ts'
import { DEFAULT_TURN } from './scenarios.ts'

const HOUR_MS = 3_600_000

/** Its jobs become those of the first project that is named. No project has this id. */
export const ANY_PROJECT = ''

/** The docs repository of each project that does not use the default one. */
export type Repositories = Readonly<Record<string, string>>

interface SeedJob {
  readonly id: string
  readonly prompt: string
  /** Its age when the service starts. */
  readonly ageMs: number
  readonly plan: TurnPlan
}

/** Lists the jobs that every project starts with, so that users can try follow-ups and attaching without creating a job. */
function listSeedJobs(plan: TurnPlan): readonly SeedJob[] {
  return [
    { id: 'job_finished', prompt: 'Describe the configuration file.', ageMs: HOUR_MS, plan: DEFAULT_TURN },
    { id: 'job_running', prompt: 'Document every error code.', ageMs: 0, plan },
    {
      id: 'job_archived',
      prompt: 'Rewrite the changelog.',
      ageMs: 2 * HOUR_MS,
      plan: { ...DEFAULT_TURN, ending: 'archived' },
    },
  ]
}

/**
 * The jobs of all projects. Job ids count up from `job_000001` and pull requests from 1 across projects, because the links of
 * pull requests do not name the project.
 */
export class JobStore {
  readonly #startMs: number
  readonly #getRepository: (projectId: string) => string
  readonly #projects = new Map<string, Map<string, JobRecord>>()
  readonly #byPullNumber = new Map<number, JobRecord>()
  #createdJobs = 0

  /** @param getRepository returns the docs repository of a project, for its next job */
  constructor(startMs: number, getRepository: (projectId: string) => string) {
    this.#startMs = startMs
    this.#getRepository = getRepository
  }

  /**
   * Creates the jobs that a project has from the start.
   * @param plan of the job that is running at the start
   */
  seedProject(projectId: string, plan: TurnPlan): void {
    if (this.#projects.has(projectId)) return
    const unclaimed = this.#projects.get(ANY_PROJECT)
    this.#projects.delete(ANY_PROJECT)
    this.#projects.set(projectId, new Map())
    if (unclaimed !== undefined) {
      for (const job of unclaimed.values()) this.save({ ...job, projectId })
      return
    }
    for (const seed of listSeedJobs(plan))
      this.#open(projectId, seed.id, seed.prompt, seed.plan, this.#startMs - seed.ageMs)
  }

  create(projectId: string, prompt: string, plan: TurnPlan, nowMs: number): JobRecord {
    this.seedProject(projectId, plan)
    this.#createdJobs += 1
    return this.#open(projectId, `job_${String(this.#createdJobs).padStart(6, '0')}`, prompt, plan, nowMs)
  }

  /** @param plan of the job that is running at the start; used by a project's first request only */
  find(projectId: string, jobId: string, plan: TurnPlan): JobRecord | undefined {
    this.seedProject(projectId, plan)
    return this.#projects.get(projectId)?.get(jobId)
  }

  findByPullNumber(pullNumber: number): JobRecord | undefined {
    return this.#byPullNumber.get(pullNumber)
  }

  save(job: JobRecord): JobRecord {
    this.#projects.get(job.projectId)?.set(job.id, job)
    this.#byPullNumber.set(job.pullNumber, job)
    return job
  }

  /** The jobs of all projects, ordered by pull request number. */
  list(): Iterable<JobRecord> {
    return this.#byPullNumber.values()
  }

  #open(projectId: string, id: string, prompt: string, plan: TurnPlan, createdAtMs: number): JobRecord {
    const pullNumber = this.#byPullNumber.size + 1
    const repository = this.#getRepository(projectId)
    const turns = [planTurn(prompt, plan, createdAtMs)] as const
    return this.save({ id, projectId, repository, createdAtMs, pullNumber, turns })
  }
}
