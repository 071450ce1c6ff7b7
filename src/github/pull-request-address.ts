import { ActionError } from '../runtime/errors.ts'
import type { PullRequestAddress } from './pull-requests.ts'

/** What a link says of the pull request that it leads to. */
interface Link {
  readonly host: string
  readonly repository: string | undefined
  readonly number: string | undefined
}

/**
 * Where GitHub's API finds the pull request of a link.
 * @throws ActionError `rejected` if the link leads elsewhere, or does not say which pull request it is
 */
export function toPullRequestAddress(link: Link, { serverUrl }: { readonly serverUrl: string }): PullRequestAddress {
  const { host } = new URL(serverUrl)
  if (link.host !== host) throw new ActionError('rejected', `it is at ${link.host}, and this run's GitHub is ${host}.`)
  const { repository, number } = link
  if (repository === undefined || number === undefined || !/^[^/]+\/[^/]+$/.test(repository))
    throw new ActionError('rejected', 'its address names no repository and number.')
  return { repository, number: Number(number) }
}
