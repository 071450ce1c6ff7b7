/** `allowed-paths`: which files of the pull request are outside of the scope. */
import { linesField } from '../../action/inputs.ts'
import { requireGitHub } from '../../action/step.ts'
import type { Comparison } from '../../github/commits.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import { parsePathRules, findOutOfScope, findFolderPatterns, warnOfFolders } from '../path-filter.ts'
import type { Acts } from '../step.ts'

export const SCOPE_FIELDS = { allowedPaths: linesField('allowed-paths', parsePathRules) }

const UNKNOWN_SCOPE = 'Could not determine whether the files of the pull request match `allowed-paths`'

/**
 * Lists the files outside of `allowed-paths`. Uses a comparison, because the list of a pull request's files does not say
 * which head commit it belongs to.
 */
export async function findOutside(pullRequest: PullRequest, step: Acts): Promise<readonly string[] | undefined> {
  const { inputs, journal } = step
  const { allowedPaths } = inputs
  if (allowedPaths.length === 0) return undefined
  return journal.orWarn(UNKNOWN_SCOPE, async () => {
    const github = requireGitHub(step)
    const { repository, baseRef, baseSha, headSha } = pullRequest
    // After a merge, the base branch may contain the head, so that comparing them shows no files.
    const isContained = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
    // A commit that was just pushed to a fork is unknown for some seconds (home-assistant/service-hub#394).
    let change = await github.compare(repository, baseRef, headSha, { mayBeNew: true })
    if (isContained(change)) change = await github.compare(repository, baseSha, headSha)
    const { files, fileList } = change
    const outside = await findOutOfScope(allowedPaths, files, step)
    const folders = await findFolderPatterns('allowed-paths', allowedPaths, files, step)
    const notExcluded = folders.find(({ effect }) => effect === 'exclude')
    if (outside.length > 0) warnOfFolders(folders, step)
    else if (notExcluded !== undefined) throw new ActionError('invalid-input', notExcluded.sentence)
    if (outside.length > 0 || (fileList === 'complete' && !isContained(change))) return outside
    throw new ActionError('rejected', `GitHub lists only ${files.length} files of the pull request.`)
  })
}
