import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { CHECKS } from '../../scripts/recipes/checks.ts'
import { readWorkflowText } from '../../scripts/recipes/temporary-repositories.ts'
import type { Workflow } from '../../testing/workflow-files.ts'

test.each(Object.keys(CHECKS))('%s is a workflow that the engine can run', (recipe) => {
  const { on, jobs } = parse(readWorkflowText(recipe)) as Workflow
  expect(on).toBeDefined()
  expect(Object.keys(jobs)).not.toEqual([])
})

test('approve-first.yml shows and sends the prompt with the same inputs', () => {
  const { jobs } = parse(readWorkflowText('docs/recipes/approve-first.yml')) as Workflow
  const [shown = {}, sent = {}] = Object.values(jobs).map(({ steps = [] }) => steps.at(-1)?.with ?? {})
  const { 'dry-run': dryRun, ...shared } = shown
  expect(dryRun).toBe(true)
  expect(shared).not.toHaveProperty('api-key')
  expect(sent).toEqual({ ...shared, 'api-key': sent['api-key'], 'base-url': sent['base-url'] })
  expect(shared).not.toHaveProperty('change-range')
})
