import * as z from 'zod/mini'
import { part, text } from './parse-answer.ts'

/** An account that was deleted has no name, and neither has one that is not as GitHub describes it. */
export const accountSchema = z.pipe(
  part(z.object({ login: text, type: text })),
  z.transform((account) => ({ login: account?.login ?? '', type: account?.type ?? '' })),
)

/** The names. */
export const labelsSchema = z.pipe(
  z.array(z.object({ name: z.string() })),
  z.transform((labels) => labels.map(({ name }) => name)),
)

const repo = z.object({ full_name: z.string() })
const common = {
  ...{ state: z.enum(['open', 'closed']), user: accountSchema, created_at: z.string(), labels: labelsSchema },
  merge_commit_sha: text,
}

export const pullRequestSchema = z.object({
  ...{ ...common, title: text, draft: z.boolean(), merged: z.boolean() },
  ...{ mergeable: part(z.boolean()), mergeable_state: text },
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string(), sha: z.string(), repo }),
})

/** One that cannot be read may be the one that matters, so that none is left out. */
export const pullRequestsSchema = z.array(
  z.object({
    ...{ ...common, number: z.number(), merged_at: z.nullable(z.string()) },
    // A fork that was deleted is null.
    head: z.object({ ref: z.string(), sha: z.string(), repo: z.nullable(repo) }),
    base: z.object({ repo }),
  }),
)
