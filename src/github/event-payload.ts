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
  const end = part(z.object({ sha, repo: part(z.object({ id: number, full_name: text })) }))
  const pullRequests = part(z.array(z.object({ number, base: end })))
  const about = { number, title: text, body: text, html_url: text, state: text }
  const written = part(
    z.object({
      ...{ id: number, user: account, body: text, html_url: text, created_at: text, submitted_at: text },
      ...{ in_reply_to_id: number, path: text, line: number, start_line: number, diff_hunk: text },
      /** Set if an app wrote it in the name of a person. */
      performed_via_github_app: z.optional(z.unknown()),
    }),
  )
  const ranOn = {
    ...{ head_sha: perhapsSha, head_branch: text, pull_requests: pullRequests },
    head_commit: part(z.object({ message: text })),
    head_repository: part(z.object({ id: number })),
  }
  const checkSuite = part(z.object(ranOn))

  return z.object({
    ...{ action: text, ref: text, ref_type: text, sender: account },
    repository: part(z.object({ id: number, full_name: text, default_branch: text })),
    // Of a push.
    ...{ before: perhapsSha, after: perhapsSha, base_ref: text, deleted: flag, forced: flag },
    commits: part(z.array(z.object({ id: sha, message: text, author: writer, committer: writer }))),

    pull_request: part(
      z.object({
        ...{ ...about, user: account, base: end, head: end, merged: flag, created_at: text, updated_at: text },
        labels: part(z.array(z.object({ name: z.string() }))),
      }),
    ),
    issue: part(z.object({ ...about, pull_request: part(z.object({})) })),
    discussion: part(z.object(about)),
    ...{ comment: written, review: written },
    release: part(z.object({ tag_name: z.string(), name: text, body: text, html_url: text })),
    merge_group: part(z.object({ base_sha: sha, head_sha: sha, head_ref: text })),
    workflow_run: part(
      z.object({
        ...ranOn,
        ...{ id: number, workflow_id: number, name: text, conclusion: text, html_url: text },
        actor: account,
      }),
    ),
    check_suite: checkSuite,
    check_run: part(z.object({ head_sha: perhapsSha, check_suite: checkSuite, pull_requests: pullRequests })),
    // Of a status, a deployment, a build of pages, a package.
    sha: perhapsSha,
    deployment: part(z.object({ sha: perhapsSha, ref: text })),
    build: part(z.object({ commit: perhapsSha })),
    registry_package: part(z.object({ package_version: part(z.object({ target_oid: perhapsSha })) })),
  })
}

type Parsed = z.infer<ReturnType<typeof eventSchema>>

export const DEPENDABOT = 'dependabot[bot]'

/** The event that started the workflow, as far as anything is asked of it. All of it was written by strangers. */
export interface EventPayload extends Parsed {
  /** The run that a deployment comes from: such an event is about no run. */
  readonly made_by?: Parsed['workflow_run']
}

/** @param payload as GitHub wrote it; anything else than an object says nothing */
export function parseEvent(eventName: string, payload: unknown): EventPayload {
  const { workflow_run, ...event } = eventSchema().safeParse(payload).data ?? {}
  if (workflow_run === undefined) return event
  return eventName === 'workflow_run' ? { ...event, workflow_run } : { ...event, made_by: workflow_run }
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
