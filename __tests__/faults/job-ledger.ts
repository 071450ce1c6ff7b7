import type { WireRequest, WireResult } from '../../src/docs-service/transport.ts'
import { JobLife, type View } from '../model/job-life.ts'
import { plantKey } from '../model/planted-key.ts'
import type { Schedule } from '../model/schedule.ts'
import { JOB_ID, lookOf, newPost, type Delivered, type PostRecord, type ServiceRecord } from '../model/service-model.ts'
import { jobBody } from '../model/wire-forms.ts'
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
export class JobLedger implements ServiceRecord {
  readonly posts: PostRecord[] = []
  readonly delivered: Delivered[] = []
  readonly looks: string[] = []
  readonly #life: JobLife
  readonly #clock: StillClock
  #method: WireRequest['method'] = 'GET'
  #said: { readonly body: string; readonly view: View } | undefined
  #events = 0

  constructor(schedule: Schedule, clock: StillClock) {
    this.#life = new JobLife(schedule)
    this.#clock = clock
  }

  get event(): number {
    return this.#events
  }

  nextEvent(): void {
    this.#events++
  }

  /** A request is about to be sent. */
  begin(method: WireRequest['method']): void {
    this.nextEvent()
    this.#method = method
    this.#said = undefined
    if (method === 'POST') this.posts.push(newPost(this.#events))
  }

  /** The service has read as much of the present request as it wants to; gives the job as it then is. */
  read(isWhole: boolean, takes: boolean): string {
    const now = this.#clock.now()
    const post = this.posts.at(-1)
    if (this.#method === 'POST' && post !== undefined) {
      post.wasRead ||= isWhole
      if (takes && !post.wasProcessed) this.#life.take(now)
      post.wasProcessed ||= takes
    }
    const view = this.#life.answerAt(now, false) ?? NOTHING_YET
    const body = JSON.stringify(jobBody(view, JOB_ID, TEXT, 'plain'))
    this.#said = { body, view }
    return body
  }

  /** What came back. */
  end(result: WireResult): void {
    this.nextEvent()
    const at = this.#events
    const facts = result.kind === 'answer' && result.status >= 200 && result.status < 300 ? factsIn(result.body) : {}
    const post = this.posts.at(-1)
    if (this.#method === 'GET') this.looks.push(lookOf(result))
    else if (post !== undefined && result.kind === 'answer') {
      post.status = result.status
      if (facts.id === JOB_ID) post.acceptedAt = at
    }
    if (this.#said !== undefined && isTrue(facts, factsIn(this.#said.body)))
      this.delivered.push({ at, method: this.#method, view: this.#said.view })
  }
}
