import * as fs from 'node:fs'
import * as z from 'zod/mini'
import type { Environment } from '../runtime/environment.ts'
import { part } from './parse-list.ts'

/** What any part of the action asks of an event. It is made for the first event, as a step outside of a runner has none. */
function eventSchema() {
  const text = part(z.string())
  const number = part(z.int())
  const flag = part(z.boolean())
  const sha = z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))
  const perhapsSha = part(sha)

  const account = part(z.object({ login: z.string(), id: number, type: text }))
  const writer = part(z.object({ name: text, username: text }))
  const end = part(z.object({ sha, repo: part(z.object({ id: number, fullName: text })) }))
  const pullRequests = part(z.array(z.object({ number, base: end })))
  const about = { number, title: text, body: text, htmlUrl: text, state: text }
  const written = part(
    z.object({
      ...{ id: number, user: account, body: text, htmlUrl: text, createdAt: text, submittedAt: text },
      ...{ inReplyToId: number, path: text, line: number, startLine: number, diffHunk: text },
      /** Set if an app wrote it in the name of a person. */
      performedViaGithubApp: z.optional(z.unknown()),
    }),
  )
  const ranOn = {
    ...{ headSha: perhapsSha, headBranch: text, pullRequests },
    headCommit: part(z.object({ message: text })),
    headRepository: part(z.object({ id: number })),
  }
  const checkSuite = part(z.object(ranOn))

  return z.object({
    ...{ action: text, ref: text, refType: text, sender: account },
    repository: part(z.object({ id: number, fullName: text, defaultBranch: text })),
    // Of a push.
    ...{ before: perhapsSha, after: perhapsSha, baseRef: text, deleted: flag, forced: flag },
    commits: part(z.array(z.object({ id: sha, message: text, author: writer, committer: writer }))),

    pullRequest: part(
      z.object({
        ...{ ...about, base: end, head: end, merged: flag },
        labels: part(z.array(z.object({ name: z.string() }))),
      }),
    ),
    issue: part(z.object({ ...about, pullRequest: part(z.object({})) })),
    discussion: part(z.object(about)),
    ...{ comment: written, review: written },
    release: part(z.object({ tagName: z.string(), name: text, body: text, htmlUrl: text })),
    mergeGroup: part(z.object({ baseSha: sha, headSha: sha, headRef: text })),
    workflowRun: part(
      z.object({
        ...ranOn,
        ...{ id: number, workflowId: number, name: text, conclusion: text, htmlUrl: text },
      }),
    ),
    checkSuite,
    checkRun: part(z.object({ headSha: perhapsSha, checkSuite, pullRequests })),
    // Of a status, a deployment, a build of pages, a package.
    sha: perhapsSha,
    deployment: part(z.object({ sha: perhapsSha, ref: text })),
    build: part(z.object({ commit: perhapsSha })),
    registryPackage: part(z.object({ packageVersion: part(z.object({ targetOid: perhapsSha })) })),
  })
}

type Parsed = z.infer<ReturnType<typeof eventSchema>>

export const DEPENDABOT = 'dependabot[bot]'

/** The event that started the workflow, as far as anything is asked of it. All of it was written by strangers. */
export interface EventPayload extends Parsed {
  /** The run that a deployment comes from: such an event is about no run. */
  readonly madeBy?: Parsed['workflowRun']
  /** The tag that was pushed, made or released. */
  readonly tag?: string
}

function tagOf(eventName: string, { ref, refType, release }: Parsed): string | undefined {
  if (eventName === 'push') return /^refs\/tags\/(.*)$/s.exec(ref ?? '')?.[1]
  return release?.tagName ?? (eventName === 'create' && refType === 'tag' ? ref : undefined)
}

/** How deep the deepest part is that anything is asked of. */
const DEEPEST = 8

/** GitHub's `head_sha` is our `headSha`. */
function inCamelCase(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, depth + 1))
  const named = Object.entries(value).map(([name, part]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    inCamelCase(part, depth + 1),
  ])
  return Object.fromEntries(named)
}

/** @param payload as GitHub wrote it; anything else than an object says nothing */
export function parseEvent(eventName: string, payload: unknown): EventPayload {
  const { workflowRun, ...event } = eventSchema().safeParse(inCamelCase(payload)).data ?? {}
  const tag = tagOf(eventName, event)
  return {
    ...event,
    ...(tag === undefined ? {} : { tag }),
    ...(workflowRun === undefined ? {} : { [eventName === 'workflow_run' ? 'workflowRun' : 'madeBy']: workflowRun }),
  }
}

/**
 * The event of the run, which the runner keeps in a file; without anything outside of one. The toolkit has it too, together
 * with all that talks to GitHub, which is much to load for one file.
 * @returns undefined if it cannot be read
 */
export function readEvent(env: Environment): EventPayload | undefined {
  const file = env['GITHUB_EVENT_PATH'] ?? ''
  if (file === '') return {}
  const payload = readPayload(file)
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
  return isObject ? parseEvent(env['GITHUB_EVENT_NAME'] ?? '', payload) : undefined
}

function readPayload(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
