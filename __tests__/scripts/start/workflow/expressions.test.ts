import { expect, test } from '@jest/globals'
import {
  DemoValues,
  evaluateCondition,
  evaluateText,
  NotEvaluable,
  type Scope,
} from '../../../../scripts/start/workflow/expressions.ts'

const SCOPE: Scope = {
  contexts: {
    github: { ref_name: 'main', event: { number: 7, commits: [{ id: 'a' }, { id: 'b' }] } },
    env: { DOCS: 'docs' },
    steps: { docs: { outputs: { outcome: 'skipped' } } },
    vars: new DemoValues({ PROJECT: 'p1' }, (name) => `demo-${name}`),
  },
  status: 'success',
}

test.each([
  ['plain', 'plain'],
  ['${{ env.DOCS }}/**', 'docs/**'],
  ["${{ format('{0}-{1}', github.ref_name, github.event.number) }}", 'main-7'],
  ["${{ '}}' }}${{ env.docs }}", '}}docs'],
  ['${{ steps.docs.outputs.outcome }}', 'skipped'],
  ['${{ steps.gone.outputs.outcome }}', ''],
  ['${{ vars.PROJECT }} ${{ vars.OTHER }}', 'p1 demo-OTHER'],
  ["${{ join(github.event.commits.*.id, ', ') }}", 'a, b'],
  ["${{ fromJSON('[1, true]')[1] }}", 'true'],
  ['${{ github.event.number == 7 && env.DOCS }}', 'docs'],
])('%s is %s', (text, value) => {
  expect(evaluateText({ text, line: 1 }, SCOPE)).toBe(value)
})

test.each([
  ["${{ hashFiles('**') }}", "Line 3: `hashFiles('**')` cannot be evaluated here: hashFiles needs a checkout."],
  ['${{ fromJSON(vars.LIST) }}', 'Line 3: `fromJSON(vars.LIST)` cannot be evaluated here: '],
  ['${{ gitub.ref }}', 'Line 3: `gitub.ref` cannot be evaluated here: '],
])('%s is named with its line', (text, message) => {
  const evaluate = (): string => evaluateText({ text, line: 3 }, SCOPE)
  expect(evaluate).toThrow(NotEvaluable)
  expect(evaluate).toThrow(message)
})

test.each<[condition: string | undefined, status: Scope['status'], runs: boolean]>([
  [undefined, 'success', true],
  [undefined, 'failure', false],
  [' ', 'success', true],
  [undefined, 'skipped', false],
  ["github.ref_name == 'main'", 'success', true],
  ["github.ref_name == 'main'", 'failure', false],
  ["${{ github.ref_name == 'other' }}", 'success', false],
  ['${{ false }}\n', 'success', true],
  [' ${{ false }}', 'success', true],
  ["${{ github.ref_name }} == 'other'", 'success', true],
  ['${{ false }}\n', 'failure', false],
  ['${{ always() }}\n', 'failure', true],
  ["github.ref_name == 'other'\n", 'success', false],
  ['always()', 'failure', true],
  ['failure()', 'failure', true],
  ['failure()', 'skipped', false],
  ["!cancelled() && steps.docs.outputs.outcome == 'skipped'", 'failure', true],
  ['github.event.missing', 'success', false],
  ['github.event.number', 'success', true],
])('with the condition %s after %s, a step runs: %s', (text, status, runs) => {
  const condition = text === undefined ? undefined : { text, line: 1 }
  expect(evaluateCondition(condition, { ...SCOPE, status })).toBe(runs)
})
