import type { IssueState } from './issue-state.ts'
import type { Call } from './reply.ts'
import type { RepositoryState } from './repository-state.ts'

/** `#12` in the same repository, or `acme/code#12`. */
const REFERENCE = /(?<![\w/&#])((?:[\w.-]+\/[\w.-]+)?#\d+)\b/g

/** The issues and pull requests that a text refers to, each once. */
export function findReferences(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, reference = '']) => reference.toLowerCase()))]
}

/** A comment somewhere else refers to an issue or a pull request. */
export interface CrossReference {
  readonly call: Call
  readonly number: number
  readonly issue: IssueState
  readonly user: string
  readonly atMs: number
}

/**
 * The comments that referred to an issue or a pull request when they were written, the first one of each conversation. What
 * an edit adds refers to nothing here: GitHub's documentation does not say that it does.
 */
export function listCrossReferences(call: Call, target: number): readonly CrossReference[] {
  const { state, repository } = call
  const seen = new Set<RepositoryState>()
  return Object.entries(state.repositories).flatMap(([name, source]) => {
    // A repository may have two names.
    if (seen.has(source)) return []
    seen.add(source)
    const isTarget = (reference: string): boolean => {
      const [named = '', number] = reference.split('#')
      const referred = Object.entries(state.repositories).find(([one]) => one.toLowerCase() === named)?.[1]
      return Number(number) === target && (named === '' ? source : referred) === repository
    }
    return Object.entries({ ...source.issues, ...source.pulls }).flatMap(([id, issue]) => {
      const first = issue.comments.find(({ references = [] }) => references.some(isTarget))
      const isOwn = source === repository && Number(id) === target
      if (first === undefined || isOwn) return []
      const { user, createdAtMs: atMs } = first
      return [{ call: { ...call, name, repository: source }, number: Number(id), issue, user, atMs }]
    })
  })
}
