import type { GitHub } from '../../github/connect-github.ts'
import { isMarkerComment } from '../pull-request/pull-request-marker.ts'

export interface OwnChangesQuery {
  readonly repository: string
  /** Of the push, newest first. */
  readonly commits: readonly string[]
  /** Empty where no label is put on pull requests. */
  readonly label: string
}

export type OwnChangesAnswer =
  /** All of it came with these pull requests, which jobs opened. */
  | { readonly kind: 'own'; readonly numbers: readonly number[] }
  | { readonly kind: 'others' }
  | { readonly kind: 'too-many' }

/** One request a commit: a push of more than this is not the merge of an agent's pull request. */
const MOST_COMMITS = 50

/**
 * Whether all that was pushed came from pull requests that this action's jobs opened. The first commit that did not ends
 * the search.
 * @throws ActionError where GitHub does not tell
 */
export async function findOwnChanges(
  { repository, commits, label }: OwnChangesQuery,
  github: GitHub,
): Promise<OwnChangesAnswer> {
  if (commits.length === 0) return { kind: 'others' }
  if (commits.length > MOST_COMMITS) return { kind: 'too-many' }
  const known = new Map<number, boolean>()

  async function isOwn(number: number, labels: readonly string[]): Promise<boolean> {
    const answer = known.get(number)
    if (answer !== undefined) return answer
    const isMarked =
      (label !== '' && labels.some((name) => name.toLowerCase() === label.toLowerCase())) ||
      (await github.listTrustedComments({ repository, number })).some(({ body }) => isMarkerComment(body))
    known.set(number, isMarked)
    return isMarked
  }

  for (const sha of commits) {
    let isOurs = false
    for (const { number, labels } of await github.findPullRequestsOfCommit(repository, sha)) {
      isOurs ||= await isOwn(number, labels)
    }
    if (!isOurs) return { kind: 'others' }
  }
  return { kind: 'own', numbers: [...known].filter(([, isMarked]) => isMarked).map(([number]) => number) }
}
