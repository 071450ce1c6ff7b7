import { expect, test } from '@jest/globals'
import { chooseCourse, LIST, type ChosenCourse } from '../../../scripts/start/courses.ts'
import { RUNNER_SCENARIO_NAMES } from '../../../scripts/start/runner-scenarios.ts'
import { AGENT_FIELDS } from '../../../src/agent/inputs/agent-inputs.ts'
import { GITHUB_SCENARIO_NAMES } from '../../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/service/scenarios.ts'

const ALL = [SCENARIO_NAMES, [...GITHUB_SCENARIO_NAMES, 'mended'], RUNNER_SCENARIO_NAMES]

function choose(...names: string[]): ChosenCourse {
  const course = chooseCourse(names)
  if (typeof course === 'string') throw new Error(course)
  return course
}

test('the list has three groups, and tells of each scenario what happens, what it shows and what it sets', () => {
  const groups = LIST.split(/\n\n/).slice(0, 3)
  expect(groups.map((group) => group.match(/^ {2}\S+$/gm)?.map((line) => line.trim()))).toEqual(ALL)
  expect(LIST).toContain(
    '  checks-mended\n    The checks of the first commit fail, and those of the next one pass.\n    Shows a follow-up that mends the checks.\n    sets job-id: job_finished\n',
  )
})

test('scenarios set inputs that the action has', () => {
  const known = Object.values(AGENT_FIELDS).map(({ name }) => name)
  const set = ALL.flat().flatMap((name) => Object.keys(choose(name).inputs))
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})

test('scenarios of each kind go together', () => {
  expect(choose('no-tls', 'draft', 'slow', 'conflict')).toMatchObject({
    scenario: 'slow',
    gitHubScenarios: ['draft', 'conflict'],
    runnerScenarios: ['no-tls'],
    inputs: { 'timeout-minutes': '2' },
  })
})

test('what is mended in rounds plays the checks that a follow-up mends, without a job to follow up on', () => {
  const { gitHubScenarios, inputs } = choose('mended')
  expect({ gitHubScenarios, inputs }).toMatchObject({
    gitHubScenarios: ['checks-mended'],
    inputs: { 'fix-rounds': '2' },
  })
  expect(inputs).not.toHaveProperty('job-id')
})

test.each([
  [['nice'], 'There is no scenario «nice». «npm start -- --list» tells all.'],
  [
    ['draft', 'check-fails'],
    'There is no scenario «check-fails». Did you mean checks-fail? «npm start -- --list» tells all.',
  ],
  [['toString'], 'There is no scenario «toString»'],
  [['slow', 'failed'], 'slow and failed are both scenarios of the service'],
])('%j is refused', (names, message) => {
  expect(chooseCourse(names)).toContain(message)
})
