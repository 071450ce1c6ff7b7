import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import { parseItems } from './parse-list.ts'
import { splitRepository } from './repository-name.ts'

/** Something that a check run found in a file. */
export interface Annotation {
  readonly path: string
  readonly line: number
  readonly title: string
  readonly message: string
}

const MOST_ANNOTATIONS = 50

const annotationSchema = z.object({
  ...{ path: z.catch(z.string(), 'a file'), start_line: z.catch(z.number(), 0) },
  ...{ title: z.catch(z.string(), ''), message: z.catch(z.string(), '') },
})

/**
 * The first annotations of a check run.
 * @throws ActionError if GitHub does not tell
 */
export function listAnnotations(
  ask: AskGitHub,
  repository: string,
  checkRunId: number,
): Promise<readonly Annotation[]> {
  return ask({ permission: 'checks: read', repository }, async ({ rest }) => {
    const where = { ...splitRepository(repository), check_run_id: checkRunId, per_page: MOST_ANNOTATIONS }
    const { data } = await rest.checks.listAnnotations(where)
    return parseItems(annotationSchema, data).map(({ start_line: line, ...said }) => ({ ...said, line }))
  })
}
