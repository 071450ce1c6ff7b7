import { expect, test } from '@jest/globals'
import { inputsOf, LIST } from '../../../scripts/start/courses.ts'
import { GITHUB_SCENARIO_NAMES } from '../../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/scenarios.ts'
import { AGENT_FIELDS } from '../../../src/agent/inputs/agent-inputs.ts'

test('the list has two groups, and tells of each scenario what happens, what it shows and what it sets', () => {
  const [service = '', github = ''] = LIST.split(/\n\n/)
  expect(service.match(/^ {2}\S+$/gm)?.map((line) => line.trim())).toEqual(SCENARIO_NAMES)
  expect(github.match(/^ {2}\S+$/gm)?.map((line) => line.trim())).toEqual(GITHUB_SCENARIO_NAMES)
  expect(github).toContain(
    '  checks-mended\n    The checks of the first commit fail, and those of the next one pass.\n    Shows a follow-up that mends the checks.\n    sets job-id: job_finished\n',
  )
})

test('scenarios set inputs that the action has', () => {
  const known = Object.values(AGENT_FIELDS).map(({ name }) => name)
  const set = SCENARIO_NAMES.flatMap((name) => Object.keys(inputsOf(name, GITHUB_SCENARIO_NAMES)))
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})
