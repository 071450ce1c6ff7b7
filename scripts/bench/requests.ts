import { playStep, type PlayStepOptions } from '../../__tests__/support/play-step.ts'
import { PUSH } from '../../__tests__/support/fake-github.ts'
import { agentInputs } from '../../__tests__/support/fake-step.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import type { Row } from './row.ts'

interface Story {
  readonly what: string
  readonly given: Readonly<Record<string, string>>
  readonly more?: Partial<PlayStepOptions>
}

const OPEN = combineScenarios(['open-pull-request'])
const CHECKED = { 'wait-for-checks': 'true' }
const ON_PUSH = { facts: { eventName: 'push', payload: PUSH } }

const STORIES: readonly Story[] = [
  { what: 'A prompt', given: { label: '' } },
  { what: 'A push to a new pull request', given: {}, more: ON_PUSH },
  { what: 'A push to the open pull request', given: { 'on-open-pr': 'follow-up' }, more: { ...ON_PUSH, github: OPEN } },
  { what: 'A prompt whose checks are waited for', given: CHECKED },
  {
    what: 'A prompt with one round of fixes',
    given: { ...CHECKED, 'fix-rounds': '1' },
    more: { github: combineScenarios(['checks-fixed']) },
  },
]

/** Counts the requests of whole steps to GitHub. */
export async function measureRequests(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, given, more } of STORIES) {
    const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given })
    const { operations, service, report } = await playStep({ inputs, ...more })
    if (report.outcome !== 'pull-request') throw new Error(`${what}: the step ended with ${report.outcome}.`)
    const [github, toService] = [operations.length, service.requests.length]
    rows.push([what, `${github} sent to GitHub`, `${toService} sent to the service`, github / toService])
  }
  return rows
}
