import { DEFAULT_START_MS as NOW_MS } from '../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN, MAINTAINER, REVIEWER, TOKEN_USER } from '../src/emulator/github/demo-state.ts'
import { DEFAULT_GITHUB } from '../src/emulator/github/github-scenarios.ts'
import { toFullPullBody } from '../src/emulator/github/pull-body.ts'
import type { MergeMethod, PullState } from '../src/emulator/github/pull-state.ts'
import { type GitHubCall, withRepository } from '../src/emulator/github/reply.ts'
import {
  createCommit,
  mergePull,
  moveBranch,
  openPull,
  updateBranch,
  writeComment,
} from '../src/emulator/github/repository-changes.ts'
import { type Commit, createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import type { Scene } from '../src/emulator/github/trigger-events.ts'
import { toRunBody } from '../src/emulator/github/workflow-operations.ts'
import { createPushEvent, toWebhookEvent, type WebhookEvent } from '../src/emulator/github/webhook-events.ts'
import { agentInputs } from './agent-inputs.ts'
import { BASE_URL } from './in-process-github.ts'
import { type PlayedStep, playStep, type PlayStepOptions } from './play-step.ts'

/** The name of an author without an account. */
export const NOBODY = 'Nobody'

/** The account of GitHub's merge queue. */
const QUEUE = 'github-merge-queue[bot]'

/** The author, who is also the committer by default. */
type GivenCommit = string | (Partial<Commit> & Pick<Commit, 'author'>)

export interface GivenPull extends Partial<Omit<PullState, 'user'>> {
  /** Default: one commit by the account that opens the pull request. */
  readonly commits?: readonly GivenCommit[]
  /** The label in the history comment of this action. By default there is no such comment. */
  readonly history?: string
  /** Who wrote the history comment. Default: the workflow's token. */
  readonly historyBy?: string
  readonly approvedBy?: string
}

const renderHistory = (label: string): string =>
  `<!-- docs-agent-action: ${JSON.stringify({ v: 1, job: 'job_1', labels: [label], followUps: 0, rows: [], dropped: 0 })} -->\n`

const SUCCESS = { status: 'completed', conclusion: 'success', createdAtMs: 0 } as const

/** A repository in which people and bots act, all at the time at which a step starts. The last act starts the step. */
export class GitHubWorld {
  readonly docs: RepositoryState
  readonly scene: Scene
  /** The event of the last act. */
  event: WebhookEvent = { name: '', payload: {} }

  constructor() {
    const collaborators = { [MAINTAINER]: 'maintain', [REVIEWER]: 'write' } as const
    this.docs = createRepositoryState({ collaborators, labels: ['docs-agent'] })
    const state = createDemoState(DEFAULT_GITHUB, NOW_MS)
    state.repositories['acme/docs'] = this.docs
    state.users[QUEUE] = { id: 118344674, type: 'Bot' }
    // Other ids than those that the step creates.
    state.lastId = 50_000
    this.scene = { state, repository: 'acme/docs', baseUrl: BASE_URL, nowMs: NOW_MS }
    this.push('main', MAINTAINER)
  }

  getHead(branch = 'main'): string {
    return this.docs.branches[branch] ?? ''
  }

  #call(): GitHubCall {
    return withRepository({ ...this.scene, url: '' }, 'acme/docs', this.docs)
  }

  trigger(act: (scene: Scene) => WebhookEvent): this {
    this.event = act(this.scene)
    return this
  }

  send(name: string, by: string, fields: object = {}): this {
    return this.trigger(() => toWebhookEvent(this.#call(), { by, name, fields: { ...fields } }))
  }

  #pushed(branch: string): this {
    return this.trigger(({ state, repository }) => createPushEvent(state, repository, { baseUrl: BASE_URL, branch }))
  }

  /** Points a branch to another branch or a commit, as the push of a fast-forward does. */
  move(branch: string, to: string, by: string, fork?: string): this {
    moveBranch(this.docs, branch, this.docs.branches[to] ?? to, { by, atMs: NOW_MS, fork })
    return fork === undefined ? this.#pushed(branch) : this
  }

  #commit(branch: string, commits: readonly GivenCommit[]): string {
    const { docs } = this
    let head = docs.branches[branch] ?? this.getHead()
    for (const commit of commits) {
      const files = [{ filename: `docs/${docs.commits.length}.md` }]
      const given = typeof commit === 'string' ? { author: commit } : commit
      const parents = head === '' ? [] : [head]
      head = createCommit(docs, { parents, message: 'Change', atMs: NOW_MS, files, ...given }).sha
    }
    return head
  }

  /** Pushes commits, by default one of the pusher's own. A new branch begins at the main branch. */
  push(branch: string, by: string, ...commits: readonly GivenCommit[]): this {
    return this.move(branch, this.#commit(branch, commits.length > 0 ? commits : [by]), by)
  }

  /** Opens a pull request, by default from the branch `change-<number>`. */
  open(
    number: number,
    user: string,
    { commits = [user], history, historyBy, approvedBy, ...given }: GivenPull = {},
  ): this {
    const { docs, scene } = this
    const { branch = `change-${number}`, fork } = given
    if (fork !== undefined) docs.forks[fork] = { id: number, branches: {} }
    this.move(branch, this.#commit(branch, commits), user, fork)
    const pull = openPull(docs, number, { user, branch, ...given }, NOW_MS)
    if (history !== undefined) writeComment(scene.state, pull, historyBy ?? TOKEN_USER, renderHistory(history), NOW_MS)
    const review = { id: number, body: '', state: 'APPROVED', headSha: pull.headSha, submittedAtMs: NOW_MS } as const
    if (approvedBy !== undefined) pull.reviews.push({ user: approvedBy, ...review })
    return this.pull(number, user, 'opened')
  }

  /** Merges a pull request, which pushes to its base. */
  merge(number: number, by: string, method: MergeMethod = 'squash'): this {
    mergePull(this.docs, number, by, NOW_MS, { method, repositoryName: 'acme/docs' })
    return this.#pushed(this.#getPull(number).base)
  }

  /** Merges the base of a pull request into its branch, which pushes to the branch. */
  update(number: number, by: string): this {
    const pull = this.#getPull(number)
    updateBranch(this.docs, pull, by, NOW_MS)
    return this.#pushed(pull.branch)
  }

  #getPull(number: number): PullState {
    const { [number]: pull } = this.docs.pulls
    if (pull === undefined) throw new Error(`There is no pull request #${number}.`)
    return pull
  }

  pull(number: number, by: string, action: string, name = 'pull_request'): this {
    const pull_request = toFullPullBody({ ...this.#call(), number, pull: this.#getPull(number) })
    return this.send(name, by, { action, number, pull_request })
  }

  /** Completes a run about the head of a branch. GitHub lists its open pull request, unless the branch is in a fork. */
  run(branch: string, by: string, event = 'push'): this {
    const { docs } = this
    const isOpen = ([, { state, branch: head }]: [string, PullState]): boolean => state === 'open' && head === branch
    const [number, pull] = Object.entries(docs.pulls).find(isOpen) ?? []
    const { headSha = this.getHead(branch), fork, base = '' } = pull ?? {}
    const run = {
      id: 30,
      workflow: 'ci.yml',
      branch,
      headSha,
      event,
      ...SUCCESS,
      ...(fork && { headRepository: fork }),
    }
    docs.workflowRuns.push(run)
    const repo = { id: docs.id }
    const ends = { head: { ref: branch, sha: headSha, repo }, base: { ref: base, sha: this.getHead(base), repo } }
    const pull_requests = pull === undefined || fork !== undefined ? [] : [{ number: Number(number), ...ends }]
    const workflow_run = { ...toRunBody(this.#call(), run), pull_requests }
    return this.send('workflow_run', by, { action: 'completed', workflow_run })
  }

  /** Starts the checks of a pull request in the merge queue, which names its branch for the pull request. */
  queue(number: number): this {
    const base_sha = this.getHead()
    const head_ref = `refs/heads/gh-readonly-queue/main/pr-${number}-${base_sha}`
    const merge_group = { head_ref, head_sha: this.#getPull(number).headSha, base_ref: 'refs/heads/main', base_sha }
    return this.send('merge_group', QUEUE, { action: 'checks_requested', merge_group })
  }

  tag(name: string): this {
    this.docs.tags[name] = this.getHead()
    return this
  }

  /** Records a success of the step's workflow on the head of the main branch. */
  succeed(): this {
    const run = { id: 31, workflow: 'docs.yml', branch: 'main', headSha: this.getHead(), event: 'push' }
    this.docs.workflowRuns.push({ ...run, ...SUCCESS })
    return this
  }
}

export type Act = (world: GitHubWorld) => GitHubWorld

export interface PlayedAct extends PlayedStep {
  /** How long after its start the step sent its prompt, or ended without one. */
  readonly waitedMs: number
}

/** Runs a step with the label `docs-agent` that an act starts. Only on pull requests, it waits for its job, as it must. */
export async function playAct(
  act: Act,
  given: Readonly<Record<string, string>> = {},
  options: Partial<PlayStepOptions> = {},
): Promise<PlayedAct> {
  const world = act(new GitHubWorld())
  const { name: eventName, payload } = world.event
  const { after: sha = world.getHead(), ref = 'main' } = payload as { readonly after?: string; readonly ref?: string }
  const wait = String(eventName.startsWith('pull_request'))
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', wait, ...given }),
    repository: world.docs,
    facts: { eventName, payload, sha, refName: ref.replace(/^refs\/(?:heads|tags)\//, '') },
    ...options,
  })
  const { allRequests, report } = played
  return { ...played, waitedMs: allRequests.find(({ what }) => what === 'create')?.atMs ?? report.durationMs }
}
