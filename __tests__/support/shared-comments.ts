import { createMarkerComment } from '../../src/agent/marker.ts'
import type { MarkerComment } from '../../src/github/comments.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { ActionError } from '../../src/runtime/errors.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { refusal } from './fake-github.ts'

export type CommentRequest = 'list' | 'read' | 'add' | 'edit'

/** `lost`: the request is carried out, and its response is lost. */
type Fault = ActionError | 'lost' | undefined

/** A marker comment of `job_1`. */
export const MARKED = createMarkerComment('job_1', ['docs-agent'])

/** The comments of one pull request, which several steps may write at the same time. The ids count from 1. */
export class SharedComments {
  readonly bodies: string[]
  readonly asked: CommentRequest[] = []
  /** What happens to the next requests of each kind. */
  readonly faults: Partial<Record<CommentRequest, Fault[]>> = {}
  readonly #clock: Clock | undefined
  readonly #latencyMs: () => number

  /** @param latencyMs how long the way to GitHub takes, and the way back */
  constructor(bodies: readonly string[], clock?: Clock, latencyMs: () => number = () => 0) {
    this.bodies = [...bodies]
    this.#clock = clock
    this.#latencyMs = latencyMs
  }

  async #respond<T>(request: CommentRequest, perform: () => T): Promise<T> {
    this.asked.push(request)
    await this.#clock?.sleep(this.#latencyMs())
    const fault = this.faults[request]?.shift()
    if (fault instanceof Error) throw fault
    const response = perform()
    await this.#clock?.sleep(this.#latencyMs())
    if (fault === 'lost') throw refusal('unreachable')
    return response
  }

  /** GitHub's part, for `fakeGitHub`. */
  get github(): Pick<GitHub, 'listMarkerComments' | 'readComment' | 'addComment' | 'editComment'> {
    const listed = (): readonly MarkerComment[] =>
      this.bodies.map((body, index) => ({ id: index + 1, body, author: 'trusted' as const }))
    return {
      listMarkerComments: () => this.#respond('list', listed),
      readComment: (_place, id) => this.#respond('read', () => this.bodies[id - 1] ?? ''),
      addComment: (_place, body) => this.#respond('add', () => this.bodies.push(body)),
      editComment: (_place, id, body) =>
        this.#respond('edit', () => {
          this.bodies[id - 1] = body
        }),
    }
  }
}
