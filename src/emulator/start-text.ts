import type { CliOptions } from './cli-options.ts'
import type { Emulator } from './server.ts'

/**
 * What is printed once the port is open. The first line, `listening <url>`, is for programs and stays as it is. The rest
 * is for people. The key may be shown: it is public, and opens nothing but this service.
 */
export function startText(
  {
    url,
    apiKey,
    projectId,
    github,
  }: Pick<Emulator, 'url' | 'apiKey' | 'projectId'> & { readonly github: Pick<Emulator['github'], 'apiUrl' | 'token'> },
  { scenario, speed }: Pick<CliOptions, 'scenario' | 'speed'>,
): string {
  return [
    `listening ${url}`,
    '',
    `The embedded documentation service plays the scenario ${scenario}, at ${speed} times the usual speed.`,
    '',
    'Create a job:',
    `  curl ${url}/v2/agent/${projectId}/job -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"prompt":"Document the --dry-run flag."}'`,
    '',
    'Ask its GitHub:',
    `  GITHUB_API_URL=${github.apiUrl}`,
    `  GITHUB_TOKEN=${github.token}`,
    `  curl ${github.apiUrl}/repos/acme/docs/pulls -H 'Authorization: Bearer ${github.token}'`,
    '',
    'Run the action against it (npm start in another terminal) with these environment variables:',
    `  DOCS_AGENT_BASE_URL=${url}`,
    `  DOCS_AGENT_PROJECT_ID=${projectId}`,
    `  DOCS_AGENT_API_KEY=${apiKey}`,
    '',
    'The key works for any project, and key and token open nothing else. Ctrl-C ends the service. Requests:',
  ].join('\n')
}
