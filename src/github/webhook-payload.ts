import * as z from 'zod/mini'
import { flag, integer, orUndefined, part, skipMalformed, text, textOrEmpty } from './schemas.ts'

const SHA = z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))
const sha = orUndefined(SHA)

const endsShape = { base: part({ sha }), head: part({ sha, repo: part({ full_name: text }) }) }

/** A pull request, an issue or a discussion. */
const subjectSchema = orUndefined(
  z.object({
    ...endsShape,
    number: integer,
    title: textOrEmpty,
    body: textOrEmpty,
    html_url: text,
    state: text,
    merged: flag,
    labels: z.catch(skipMalformed(z.object({ name: z.string() })), []),
    /** Set on an issue that is a pull request. */
    pull_request: orUndefined(z.object({})),
  }),
)

/** A comment or a review. */
const commentSchema = orUndefined(
  z.object({
    id: z.int(),
    html_url: text,
    body: textOrEmpty,
    created_at: text,
    submitted_at: text,
    user: part({ id: integer, login: text, type: text }),
    performed_via_github_app: z.optional(z.unknown()),
    in_reply_to_id: integer,
    path: text,
    start_line: integer,
    line: integer,
    diff_hunk: textOrEmpty,
  }),
)

const workShape = {
  head_branch: text,
  head_sha: sha,
  head_commit: part({ message: textOrEmpty }),
  head_repository: part({ id: integer }),
  pull_requests: z.catch(
    skipMalformed(z.object({ number: z.int(), base: part({ sha, repo: part({ id: integer }) }) })),
    [],
  ),
}
const workSchema = orUndefined(z.object(workShape))

const runShape = { id: integer, event: textOrEmpty, workflow_id: integer, name: text, conclusion: text, html_url: text }

const pushedCommitSchema = z.object({
  id: SHA,
  message: textOrEmpty,
  author: part({ name: textOrEmpty, username: text }),
  committer: part({ username: text }),
})

/**
 * The fields of all webhook payloads that are used here (GitHub's docs, "Webhook events and payloads"). Anybody may have
 * written them. A missing or malformed field is undefined, and the others remain usable.
 */
export const payloadSchema = part({
  action: text,
  ref: text,
  ref_type: text,
  before: sha,
  after: sha,
  base_ref: text,
  deleted: flag,
  forced: flag,
  compare: text,
  sha,
  // Without one of the commits the list does not say what was pushed, so one malformed commit discards the list.
  commits: z.catch(z.array(pushedCommitSchema), []),
  sender: orUndefined(z.object({ login: text, type: text })),
  repository: part({
    ...{ id: integer, full_name: text, default_branch: text },
    ...{ visibility: z.optional(z.unknown()), private: z.optional(z.unknown()) },
  }),
  pull_request: subjectSchema,
  issue: subjectSchema,
  discussion: subjectSchema,
  comment: commentSchema,
  review: commentSchema,
  workflow_run: orUndefined(z.object({ ...workShape, ...runShape })),
  check_suite: workSchema,
  check_run: orUndefined(z.object({ ...workShape, check_suite: workSchema })),
  deployment: orUndefined(z.object({ ref: text, sha })),
  commit: part({ commit: part({ message: textOrEmpty }), parents: z.catch(z.array(z.object({ sha: SHA })), []) }),
  build: part({ commit: sha }),
  registry_package: part({ package_version: part({ target_oid: sha }) }),
  merge_group: orUndefined(z.object({ base_sha: SHA, head_sha: SHA, head_ref: text })),
  release: orUndefined(z.object({ tag_name: z.string(), name: textOrEmpty, body: textOrEmpty, html_url: text })),
})
export type Payload = z.infer<typeof payloadSchema>
export type WireComment = NonNullable<z.infer<typeof commentSchema>>
