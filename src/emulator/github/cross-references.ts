import type { IssueState } from './issue-state.ts'
import type { RepositoryState } from './repository-state.ts'
import type { GitHubState } from './state.ts'

/** `#12` in the same repository, or `acme/code#12`. */
const REFERENCE = /(?<![\w/&#])((?:[\w.-]+\/[\w.-]+)?#\d+)\b/g

/** The issues and pull requests that a text refers to, each once. */
export function findReferences(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(REFERENCE), ([, reference = '']) => reference.toLowerCase()))]
}

/** A comment somewhere else refers to an issue or a pull request. */
export interface CrossReference {
  /** Where the comment is: the name of the repository, and the number of the issue or the pull request. */
  readonly name: string
  readonly repository: RepositoryState
  readonly number: number
  readonly issue: IssueState
  readonly user: string
  readonly atMs: number
}

/**
 * The comments that referred to an issue or a pull request when they were written, the first one of each conversation. What
 * an edit adds refers to nothing here: GitHub's documentation does not say that it does.
 */
export function listCrossReferences(
  { repositories }: Pick<GitHubState, 'repositories'>,
  target: RepositoryState,
  targetNumber: number,
): readonly CrossReference[] {
  const seen = new Set<RepositoryState>()
  return Object.entries(repositories).flatMap(([name, repository]) => {
    // A repository may have two names.
    if (seen.has(repository)) return []
    seen.add(repository)
    const isTarget = (reference: string): boolean => {
      const [named = '', number] = reference.split('#')
      const referred = Object.entries(repositories).find(([one]) => one.toLowerCase() === named)?.[1]
      return Number(number) === targetNumber && (named === '' ? repository : referred) === target
    }
    return Object.entries({ ...repository.issues, ...repository.pulls }).flatMap(([id, issue]) => {
      const number = Number(id)
      const first = issue.comments.find(({ references = [] }) => references.some(isTarget))
      const isOwn = repository === target && number === targetNumber
      if (first === undefined || isOwn) return []
      return [{ name, repository, number, issue, user: first.user, atMs: first.createdAtMs }]
    })
  })
}
