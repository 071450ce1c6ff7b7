import type { AskGitHub } from './ask-github.ts'
import { hasStatus } from './github-error.ts'
import { splitRepository } from './repository-name.ts'
import type { PullRequestAddress } from './pull-requests.ts'

const LABEL_COLOUR = '5319e7'
const LABEL_DESCRIPTION = 'Opened by a docs agent job'

/**
 * GitHub tells labels apart by their letters, and not by the case of these.
 * @param label empty if no label is in use
 */
export function hasLabel(label: string, labels: readonly string[]): boolean {
  return label !== '' && labels.some((name) => name.toLowerCase() === label.toLowerCase())
}

/**
 * Puts a label on a pull request, and makes it first where the repository does not know it.
 * @throws ActionError if the token may not
 */
export function addLabel(ask: AskGitHub, { repository, number }: PullRequestAddress, label: string): Promise<void> {
  const where = splitRepository(repository)
  return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
    try {
      await rest.issues.getLabel({ ...where, name: label })
    } catch (error) {
      if (!hasStatus(error, 404)) throw error
      await rest.issues
        .createLabel({ ...where, name: label, color: LABEL_COLOUR, description: LABEL_DESCRIPTION })
        .catch((refusal: unknown) => {
          // Somebody else made it meanwhile.
          if (!hasStatus(refusal, 422)) throw refusal
        })
    }
    await rest.issues.addLabels({ ...where, issue_number: number, labels: [label] })
  })
}
