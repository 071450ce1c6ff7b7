import { expect, test } from '@jest/globals'
import {
  GITHUB_SCENARIOS,
  GITHUB_SCENARIO_NAMES,
  combineScenarios,
  isGitHubScenarioName,
} from '../../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'
import { driveGitHub } from './drive-github.ts'

test('names are kebab-case, are not those of the service, and come with a sentence', () => {
  for (const name of GITHUB_SCENARIO_NAMES) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(SCENARIO_NAMES).not.toContain(name)
    expect(GITHUB_SCENARIOS[name].description).toMatch(/^[A-Z].*\.$/)
    expect(isGitHubScenarioName(name)).toBe(true)
  }
  expect(isGitHubScenarioName('toString')).toBe(false)
})

test('of several scenarios the later one counts, and nothing else is changed', () => {
  const combined = combineScenarios(['open-pull-request', 'checks-fail', 'checks-none'])
  expect(combined).toMatchObject({ earlierPull: 'marked', checks: [[]], agentPush: 'on-top' })
})

test.each([
  ['github-down', [503, 503, 503]],
  ['github-limited', [403, 200, 403, 200, 429, 200]],
  ['no-permission', [403]],
  ['read-only', [200]],
] as const)('%s answers %j', (scenario, statuses) => {
  const { ask } = driveGitHub({ scenarios: [scenario] })
  expect(statuses.map(() => ask('GET', '/pulls').status)).toEqual(statuses)
})

test('with github-slow every second answer takes a while', () => {
  const { ask, exchanges } = driveGitHub({ scenarios: ['github-slow'] })
  for (let times = 0; times < 4; times++) ask('GET', '/pulls')
  expect(exchanges.map(({ response }) => response.delayMs ?? 0)).toEqual([0, 8_000, 0, 8_000])
})

test.each([
  ['checks-pass', 'build:success links:success'],
  ['checks-fail', 'build:failure links:failure'],
  ['checks-late', ''],
  ['checks-none', ''],
  ['checks-wait-for-approval', ''],
  ['checks-pending', 'build:null'],
  ['checks-of-one-name', 'build:failure build:success'],
] as const)('20 seconds after the push, with %s, the checks are “%s”', (scenario, expected) => {
  const { post, advance, read } = driveGitHub({ scenarios: [scenario] })
  post('/v2/agent/docs-demo/job', 'x')
  advance(40)
  const { check_runs: runs } = read('/commits/agent%2Fjob_000001/check-runs')
  const shown = runs.map(
    ({ name, conclusion }: { name: string; conclusion: string | null }) => `${name}:${conclusion ?? 'null'}`,
  )
  expect(shown.join(' ')).toBe(expected)
})
