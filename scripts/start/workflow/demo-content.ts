import { findExamplePath } from './triggers.ts'
import type { Workflow } from './workflow-file.ts'

const listInputs = ({ jobs }: Workflow, name: string): readonly string[] =>
  jobs.flatMap(({ steps }) => steps.flatMap((step) => step.with[name]?.text ?? []))

/** What a comment says: the command of the first step that has one, with a request. */
export function chooseComment(workflow: Workflow): string {
  const command = listInputs(workflow, 'command').find((text) => !text.includes('${{'))
  return `${command ?? '/docs'} Mention both flags on the first page.`
}

/** A page that `allowed-paths` allows. Undefined if none is found. */
export function findAllowedPage(allowedPaths = ''): string | undefined {
  const patterns = allowedPaths.split('\n').filter((line) => line.trim() !== '' && !line.includes('${{'))
  try {
    return findExamplePath({ patterns, line: 1 }, '.md')
  } catch {
    // The step itself reports an invalid pattern.
    return undefined
  }
}

/** The page that the agent changes, until a step allows only others. */
export function choosePage(workflow: Workflow): string {
  const pages = listInputs(workflow, 'allowed-paths').flatMap((allowed) => findAllowedPage(allowed) ?? [])
  return pages[0] ?? 'docs/index.md'
}
