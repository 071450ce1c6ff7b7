/** The label of the agent's pull requests, in the repository where the agent opens them. */
import { requireGitHub } from '../action/step.ts'
import { getRepository } from './facts.ts'
import type { Reads } from './step.ts'

/** Creates the label if it does not exist. @param exists whether it does, if that was already requested */
export async function createMissingLabel(step: Reads, exists?: Promise<boolean>): Promise<void> {
  const github = requireGitHub(step)
  const [repository, { label }] = [getRepository(step), step.inputs]
  if (!(await (exists ?? github.labelExists(repository, label)))) await github.createLabel(repository, label)
}
