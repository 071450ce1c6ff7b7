import { createMarkerComment } from '../../src/agent/marker.ts'
import type { ListedComment } from '../../src/github/comments.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { ActionError } from '../../src/runtime/errors.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { createGitHubError } from './fake-github.ts'
import { updateBody } from './marker-bodies.ts'

export type CommentRequest = 'list' | 'read' | 'add' | 'edit'

/** `response-lost`: the request is processed, but its response is lost. */
type Fault = ActionError | 'response-lost' | undefined

/** A marker comment of `job_1`. */
export const MARKED = createMarkerComment('job_1', ['docs-agent']).body

const WORKING_UNTIL_MS = Date.UTC(2027, 0, 1)

/** Renders the row of another run whose agent is working. */
const workingRow = (runId: number): string =>
  `| 2025-12-31 00:00 | schedule | ⏳ working since 00:00 UTC, do not merge yet <!-- working=${WORKING_UNTIL_MS} --> <!-- row=${runId}.1.agent.${runId} --> |`

/** Adds a row to the log of a marker comment for each run, which shows that its agent is working. */
export function withWorkingRows(body: string, runIds: readonly number[]): string {
  const update = { label: 'docs-agent', followUps: 0, rows: runIds.map(workingRow), left: undefined }
  return runIds.length === 0 ? body : (updateBody(body, update) ?? body)
}

/** Runs with an even id have completed. */
export const hasCompleted = (runId: number): boolean => runId % 2 === 0

/** The comments of a pull request, which several steps can write at the same time. Ids start at 1. */
export class SharedComments {
  readonly bodies: string[]
  readonly requests: CommentRequest[] = []
  /** The faults of the next requests of each kind. */
  readonly faults: Partial<Record<CommentRequest, Fault[]>> = {}
  readonly #clock: Clock | undefined
  readonly #latencyMs: () => number
  readonly #othersMs: () => number

  /**
   * @param latencyMs the latency in each direction
   * @param othersMs the duration of requests that are not about comments: after a list, and about runs
   */
  constructor(
    bodies: readonly string[],
    clock?: Clock,
    latencyMs: () => number = () => 0,
    othersMs: () => number = () => 0,
  ) {
    this.bodies = [...bodies]
    this.#clock = clock
    this.#latencyMs = latencyMs
    this.#othersMs = othersMs
  }

  async #respond<T>(request: CommentRequest, perform: () => T): Promise<T> {
    this.requests.push(request)
    await this.#clock?.sleep(this.#latencyMs())
    const fault = this.faults[request]?.shift()
    if (fault instanceof Error) throw fault
    const response = perform()
    await this.#clock?.sleep(this.#latencyMs())
    if (fault === 'response-lost') throw createGitHubError('unreachable')
    return response
  }

  /** The methods for `fakeGitHub`. */
  get github(): Pick<GitHub, 'listComments' | 'readComment' | 'addComment' | 'editComment' | 'hasCompleted'> {
    const listed = (): readonly ListedComment[] =>
      this.bodies.map((body, index) => ({ id: index + 1, body, author: 'trusted' as const }))
    return {
      // After the list, two requests look up the authors and their permissions.
      listComments: async () => {
        const comments = await this.#respond('list', listed)
        await this.#clock?.sleep(this.#othersMs())
        await this.#clock?.sleep(this.#othersMs())
        return comments
      },
      hasCompleted: async (_repository, runId) => {
        await this.#clock?.sleep(this.#othersMs())
        return hasCompleted(runId)
      },
      readComment: (_place, id) => this.#respond('read', () => this.bodies[id - 1] ?? ''),
      addComment: (_place, body) => this.#respond('add', () => this.bodies.push(body)),
      editComment: (_place, id, body) =>
        this.#respond('edit', () => {
          this.bodies[id - 1] = body
        }),
    }
  }
}
