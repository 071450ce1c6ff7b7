import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgent } from '../../src/agent/run.ts'
import type { MarkerComment } from '../../src/github/comments.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { PullRequest } from '../../src/github/pull-requests.ts'
import type { DocsServiceClient } from '../../src/docs-service/client.ts'
import type { Job, JobStatus } from '../../src/docs-service/schemas.ts'
import { failure, job } from './fake-client.ts'
import { fakeClock } from './fake-clock.ts'
import { fakeGitHub, mergedBy, PULL_REQUEST, pullCommits, refusal, RUN_FACTS, type GivenRun } from './fake-github.ts'
import { fakeHost } from './fake-host.ts'
import { agentInputs, fakeStep } from './fake-step.ts'

/** What becomes of one prompt: it never arrives, which nobody knows, or a rate limit puts it off. */
type PostFate = 'unheard' | 'limited'

export interface WorldPull {
  readonly number: number
  state: PullRequest['state']
  headSha: string
  /** What the agent has pushed, oldest first. */
  readonly pushed: string[]
  readonly labels: string[]
  readonly comments: MarkerComment[]
}

interface Turn {
  readonly prompt: string
  readonly endsAt: number
  readonly ending: JobStatus
}

export interface WorldJob {
  readonly id: string
  readonly turns: Turn[]
  archivedAt: number
  /** Since when it names a pull request, and which. */
  linkedAt: number
  pull: number | undefined
}

export interface Taken {
  readonly kind: 'create' | 'message'
  readonly jobId: string
  readonly prompt: string
}

export interface WorldStep {
  readonly report: Report
  readonly said: readonly string[]
  /** What the service took of it. */
  readonly taken: readonly Taken[]
}

const REPOSITORY = 'acme/docs'
const TURN_MS = 60_000
export const LIMIT_MS = 1_800_000
const sha = (serial: number): string => serial.toString(16).padStart(40, '0')
const linkOf = (number: number): string => `${RUN_FACTS.serverUrl}/${REPOSITORY}/pull/${number}`

/** A service and a GitHub that remember, for several steps one after the other. Time moves only when a step sleeps. */
export class RollingWorld {
  readonly clock = fakeClock()
  readonly pulls: WorldPull[] = []
  readonly jobs: WorldJob[] = []
  readonly taken: Taken[] = []
  /** Of prompts and of questions to GitHub, consumed in turn; after the last one all goes well. */
  readonly fates = { posts: [] as PostFate[], github: [] as 'down'[] }
  /** What the list of one label has, which may be late and may not be for the token. */
  labelled: readonly number[] = []
  /** How turns end. */
  ending: JobStatus = 'completed'
  /** Called whenever one of the two servers is asked something, before it is done. */
  onAsked: (what: string) => void = () => undefined
  #serial = 1
  #events: { readonly at: number; readonly act: () => void }[] = []

  /** Does something when so much time has passed from now on. */
  after(ms: number, act: () => void): void {
    this.#events.push({ at: this.clock.now() + ms, act })
    this.#events.sort((a, b) => a.at - b.at)
  }

  pull(number: number): WorldPull {
    const found = this.pulls.find((pull) => pull.number === number)
    if (found === undefined) throw refusal('not-found')
    return found
  }

  open(fields: Partial<WorldPull> = {}): WorldPull {
    const number = this.#serial++
    const headSha = sha(number)
    const pull: WorldPull = { number, state: 'open', headSha, pushed: [headSha], labels: [], comments: [], ...fields }
    this.pulls.push(pull)
    return pull
  }

  openPulls(): WorldPull[] {
    return this.pulls.filter(({ state }) => state === 'open')
  }

  async step(inputs: Partial<AgentInputs> = {}, facts: Partial<GivenRun> = {}): Promise<WorldStep> {
    const host = fakeHost()
    const before = this.taken.length
    const all = agentInputs({
      githubToken: 'ghs_token',
      label: 'docs-agent',
      onOpenPr: 'follow-up',
      skipOwnChanges: false,
      ...inputs,
    })
    const step = fakeStep({
      core: host,
      clock: this.clock,
      timeoutMs: all.timeoutMs,
      client: this.#client(),
      github: this.#github(),
      context: { ...RUN_FACTS, ...facts },
    })
    const report = await runAgent(all, step)
    return { report, said: host.said, taken: this.taken.slice(before) }
  }

  /** Lets happen what is due. */
  #passTime(): void {
    while (this.#events[0] !== undefined && this.#events[0].at <= this.clock.now()) this.#events.shift()?.act()
  }

  #view({ id, turns, archivedAt, linkedAt, pull }: WorldJob): Job {
    const at = this.clock.now()
    const last = turns.at(-1)
    const status = at >= archivedAt ? 'archived' : last === undefined || at < last.endsAt ? 'active' : last.ending
    // A job names no pull request while it is active.
    const isLinked = status !== 'active' && pull !== undefined && at >= linkedAt
    return job({ id, status, ...(isLinked ? { prLink: linkOf(pull) } : {}) })
  }

  #take(kind: Taken['kind'], one: WorldJob, prompt: string): Job {
    if (this.fates.posts.shift() === 'unheard') throw failure('unknown-fate')
    if (this.clock.now() >= one.archivedAt) throw failure('rejected')
    if (kind === 'create') this.jobs.push(one)
    this.taken.push({ kind, jobId: one.id, prompt })
    const endsAt = Math.max(this.clock.now(), one.turns.at(-1)?.endsAt ?? 0) + TURN_MS
    one.turns.push({ prompt, endsAt, ending: this.ending })
    this.after(endsAt - this.clock.now(), () => {
      this.#finish(one, endsAt)
    })
    return this.#view(one)
  }

  /** A turn opens the job's pull request, or pushes to it. */
  #finish(one: WorldJob, at: number): void {
    if (one.turns.at(-1)?.ending !== 'completed') return
    const pull = one.pull === undefined ? this.open() : this.pull(one.pull)
    if (one.pull === undefined) {
      one.pull = pull.number
      one.linkedAt = at
    } else if (pull.state === 'open') {
      pull.headSha = sha(1_000 + this.#serial++)
      pull.pushed.push(pull.headSha)
    }
  }

  #client(): DocsServiceClient {
    const asked = (what: string): void => {
      this.#passTime()
      this.onAsked(what)
      this.#passTime()
    }
    const of = (id: string): WorldJob => {
      const found = this.jobs.find((one) => one.id === id)
      if (found === undefined) throw failure('not-found')
      return found
    }
    const fresh = (): WorldJob => {
      const id = `job_${this.#serial++}`
      return { id, turns: [], archivedAt: Infinity, linkedAt: Infinity, pull: undefined }
    }
    return {
      refusals: () => 0,
      createJob: (prompt) =>
        answer(() => {
          asked('create')
          return this.#take('create', fresh(), prompt)
        }),
      sendMessage: async (id, prompt, beforeAgain) => {
        if (this.fates.posts[0] === 'limited') {
          this.fates.posts.shift()
          this.clock.advance(LIMIT_MS)
          await beforeAgain?.()
        }
        return answer(() => {
          asked('message')
          return this.#take('message', of(id), prompt)
        })
      },
      getJob: (id) =>
        answer(() => {
          asked('read')
          return this.#view(of(id))
        }),
      getVisitors: () => Promise.reject(new Error('Nobody expected this request.')),
    }
  }

  #github(): GitHub {
    const ask = <T>(what: string, perform: () => T): Promise<T> =>
      answer(() => {
        this.#passTime()
        this.onAsked(what)
        this.#passTime()
        if (this.fates.github.shift() === 'down') throw refusal('unreachable')
        return perform()
      })
    const addressed = ({ number, state, headSha, labels }: WorldPull): PullRequest => ({
      ...PULL_REQUEST,
      ...{ repository: REPOSITORY, number, state, headSha, labels: [...labels] },
      branch: `agent/${number}`,
    })
    const usual = fakeGitHub()
    return fakeGitHub({
      compare: async (repository, base, head) => {
        const comparison = await usual.compare(repository, base, head)
        const commits = comparison.commits.map((commit) => ({ ...commit, message: `Change ${head}` }))
        return ask('compare', () => ({ ...comparison, commits }))
      },
      findLabelledPullRequests: (repository) =>
        Promise.resolve(this.labelled.map((number) => ({ repository, number }))),
      listOpenPullRequests: (_repository, label) =>
        ask('listOpenPullRequests', () =>
          this.openPulls()
            .filter(({ labels }) => labels.includes(label))
            .map(addressed),
        ),
      findPullRequestsOfBranch: (_repository, branch) =>
        ask('findPullRequestsOfBranch', () =>
          this.openPulls()
            .filter(({ number }) => branch === `agent/${number}`)
            .map(({ number, labels }) => ({ ...mergedBy(number, ...labels), state: 'open', branch })),
        ),
      readPullRequest: ({ number }) => ask('readPullRequest', () => addressed(this.pull(number))),
      listPullRequestCommits: ({ number }) =>
        ask('listPullRequestCommits', () => pullCommits(...this.pull(number).pushed.map((sha) => ({ sha })))),
      listMarkerComments: ({ number }) => ask('listMarkerComments', () => [...this.pull(number).comments]),
      readComment: ({ number }, id) =>
        ask('readComment', () => this.pull(number).comments.find((comment) => comment.id === id)?.body ?? ''),
      addLabel: ({ number }, label) => ask('addLabel', () => void this.pull(number).labels.push(label)),
      addComment: ({ number }, body) =>
        ask('addComment', () => {
          const id = this.#serial++
          this.pull(number).comments.push({ id, body, author: 'trusted' })
          return id
        }),
      editComment: (_place, id, body) =>
        ask('editComment', () => {
          for (const { comments } of this.pulls) {
            const index = comments.findIndex((comment) => comment.id === id)
            if (index !== -1) comments[index] = { id, body, author: 'trusted' }
          }
        }),
    })
  }
}

/** Errors come as rejections, as they do from a server. */
async function answer<T>(perform: () => T): Promise<T> {
  await Promise.resolve()
  return perform()
}

/** A world in which a step has opened a pull request. */
export async function begun(inputs: Partial<AgentInputs> = {}): Promise<{ world: RollingWorld; pull: WorldPull }> {
  const world = new RollingWorld()
  await world.step(inputs)
  const [pull] = world.pulls
  if (pull === undefined) throw new Error('The first step has opened no pull request.')
  return { world, pull }
}
