import { JobLife, type View } from '../model/job-life.ts'
import { plantKey } from '../model/planted-key.ts'
import type { Schedule } from '../model/schedule.ts'
import { JOB_ID, type Delivered, type PostRecord } from '../model/service-model.ts'
import { jobBody } from '../model/wire-forms.ts'
import type { WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import type { StillClock } from './still-clock.ts'

const NOTHING_YET: View = { whose: 'before', status: 'active', link: undefined }
const TEXT = plantKey('raw', 0)

interface JobFacts {
  readonly id?: unknown
  readonly status?: unknown
  readonly prLink?: unknown
}

function factsIn(body: string): JobFacts {
  try {
    return (JSON.parse(body) as JobFacts | null) ?? {}
  } catch {
    return {}
  }
}

/** Whether an answer says of the job what the service knows of it, however it says that. */
function isTrue(answer: JobFacts, known: JobFacts): boolean {
  return answer.id === known.id && answer.status === known.status && answer.prLink === known.prLink
}

/** The truth about a run: what the service has read and said, and what of it came through. Times are counts of events. */
export class JobLedger {
  readonly posts: PostRecord[] = []
  readonly delivered: Delivered[] = []
  readonly looks: string[] = []
  readonly life: JobLife
  readonly #clock: StillClock
  #method: WireRequest['method'] = 'GET'
  #said: { readonly body: string; readonly view: View } | undefined
  #events = 0
  #requests = 0

  constructor(schedule: Schedule, clock: StillClock) {
    this.life = new JobLife(schedule)
    this.#clock = clock
  }

  get event(): number {
    return this.#events
  }

  get requests(): number {
    return this.#requests
  }

  nextEvent(): void {
    this.#events++
  }

  /** A request is about to be sent. */
  begin(method: WireRequest['method']): void {
    this.#events++
    this.#requests++
    this.#method = method
    this.#said = undefined
    if (method === 'POST')
      this.posts.push({
        at: this.#events,
        body: '',
        wasRead: false,
        wasProcessed: false,
        status: undefined,
        acceptedAt: undefined,
      })
  }

  /** The service has read as much of the present request as it wants to; gives the job as it then is. */
  read(isWhole: boolean, takes: boolean): string {
    const now = this.#clock.now()
    const post = this.posts.at(-1)
    if (this.#method === 'POST' && post !== undefined) {
      post.wasRead ||= isWhole
      if (takes && !post.wasProcessed) this.life.take(now)
      post.wasProcessed ||= takes
    }
    const view = this.life.answerAt(now, false)
    const body = JSON.stringify(jobBody(view ?? NOTHING_YET, JOB_ID, TEXT, 'plain'))
    this.#said = { body, view: view ?? NOTHING_YET }
    return body
  }

  /** What came back. */
  end(result: WireResult): void {
    this.#events++
    const isWell = result.kind === 'answer' && result.status >= 200 && result.status < 300
    const at = this.#events
    const post = this.posts.at(-1)
    if (this.#method === 'GET')
      this.looks.push(
        isWell
          ? result.body
          : result.kind === 'answer'
            ? String(result.status)
            : `${result.cause} ${result.code ?? ''}`,
      )
    else if (post !== undefined && result.kind === 'answer') {
      post.status = result.status
      if (isWell && factsIn(result.body).id === JOB_ID) post.acceptedAt = at
    }
    if (isWell && this.#said !== undefined && isTrue(factsIn(result.body), factsIn(this.#said.body)))
      this.delivered.push({ at, method: this.#method, view: this.#said.view })
  }
}
