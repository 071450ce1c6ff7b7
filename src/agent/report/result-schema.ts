import * as z from 'zod/mini'
import { ERROR_TITLES, type ErrorCode } from '../../runtime/errors.ts'
import { OUTCOMES } from './report.ts'

const text = z.string()
const textOrNull = z.nullable(text)
const count = z.int().check(z.nonnegative())

/** The output `result`. What is not known is null. The step only has its type: schemas take their time at its start. */
export const resultSchema = z.object({
  version: z.literal(1),
  outcome: z.enum(OUTCOMES),
  green: z.boolean().check(z.describe('Whether the step is green.')),
  title: text.check(z.describe('The verdict.')),
  text: text.check(z.describe('What happened.')),
  advice: textOrNull.check(z.describe('What to do.')),
  triggered_by: z.nullable(z.object({ text, url: textOrNull })).check(z.describe('What started the run.')),
  change: textOrNull.check(z.describe('The change that was looked at.')),
  changed: z.nullable(z.boolean()),
  continued: z.nullable(z.enum(['pull-request', 'comment'])),
  job: z.nullable(
    z.object({ id: text, status: textOrNull, model: textOrNull, repository: textOrNull, ref: textOrNull }),
  ),
  pull_request: z.nullable(
    z.object({
      ...{ url: text, number: z.nullable(z.int()), repository: textOrNull, title: textOrNull },
      state: z.nullable(z.enum(['open', 'draft', 'closed', 'merged'])),
      ...{ branch: textOrNull, head_sha: textOrNull, mergeable: z.nullable(z.boolean()) },
      operation: z.nullable(z.enum(['created', 'updated', 'unchanged'])),
      checks: z.nullable(z.enum(['success', 'failure', 'pending', 'none'])),
      in_scope: z.nullable(z.boolean()),
    }),
  ),
  files: z
    .array(z.object({ path: text, additions: count, deletions: count }))
    .check(z.describe('The files that this step has changed in the pull request, documentation first.')),
  checks: z
    .array(
      z.object({
        name: text,
        result: z.enum(['success', 'failure', 'pending']),
        seconds: z.nullable(z.number()),
        url: textOrNull,
      }),
    )
    .check(z.describe('The checks of the head, with `wait-for-checks`.')),
  outside: z.array(text).check(z.describe('The paths outside of `allowed-paths`.')),
  rounds: z
    .array(z.object({ checks: z.array(text), end: text }))
    .check(z.describe('Each round: the failing checks that were sent, and what came of it.')),
  not_done: z.array(text).check(z.describe('What could not be done on GitHub, and why.')),
  error: z.nullable(
    z.object({ code: z.enum(Object.keys(ERROR_TITLES) as ErrorCode[]), message: text, hint: textOrNull }),
  ),
  duration_seconds: z.number(),
  left_out: z
    .object({ files: count, checks: count, outside: count, rounds: count, not_done: count })
    .check(z.describe('How many items each list lacks, which would have made the whole too long.')),
})
export type Result = z.infer<typeof resultSchema>
