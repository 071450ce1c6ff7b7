/** Says which permissions a step's token needs, as a line to paste into a workflow. */
import { isSameRepository } from '../github/schemas.ts'
import { isExplicitRange, type AgentInputs, type Facts, getRepository } from './facts.ts'

/** What to do if GitHub fails before the prompt, and may respond later. */
export const GITHUB_RETRY_HINT = 'Run the step again when GitHub responds.'

/** Says which permissions to grant, as a complete line to paste. Nothing shows whether a token is the workflow's own. */
export function formatGrant({
  changeRange,
  waitForChecks,
}: Pick<AgentInputs, 'changeRange' | 'waitForChecks'>): string {
  const permissions = [
    // Without an explicit range, some events look back to the last success. The line is enough for all events of the workflow.
    ...(waitForChecks || !isExplicitRange(changeRange) ? ['actions: read'] : []),
    ...(waitForChecks ? ['checks: read'] : []),
    'contents: read',
    'issues: write',
    'pull-requests: write',
    ...(waitForChecks ? ['statuses: read'] : []),
  ]
  return `Grant the workflow's job these permissions: \`permissions: { ${permissions.join(', ')} }\`. If \`github-token\` is another token, that token needs them instead.`
}

/** Says which permissions the token needs where the agent opens its pull requests. */
export function formatTrackingGrant(step: Facts, repository = getRepository(step)): string {
  if (isSameRepository(repository, step.context.repository)) return formatGrant(step.inputs)
  return `\`github-token\` needs write access to issues and pull requests of ${repository}, which the workflow's own token never has: use the token of a GitHub App that is installed there.`
}
