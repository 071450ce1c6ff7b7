import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { DEFAULT_MAX_FOLLOW_UPS } from '../../src/agent/inputs.ts'
import { root, parseTable } from '../support/markdown-files.ts'
import {
  AGENT_ACTION,
  CENTRAL_WORKFLOW,
  expandCalls,
  REHEARSAL_ACTION,
  type Workflow,
} from '../support/workflow-files.ts'

const page = readFileSync(`${root}docs/limit-costs.md`, 'utf8')
const FLEET = 'your-org/docs-agent-action/.github/workflows/fleet.yml@v1'

const rows = parseTable(page, 'The worst case of each recipe').map(
  ([link = '', starts = '', prompts = '', followUps = '', bounds = '']) => {
    const name = /^\[(.+)\]\(recipes\/\1\)$/.exec(link)?.[1] ?? ''
    const text = readFileSync(`${root}docs/recipes/${name}`, 'utf8')
    return { name, starts, prompts, followUps, bounds, text, workflow: parse(text) as Workflow }
  },
)

type Given = Readonly<Record<string, unknown>>
interface Use {
  readonly given: Given
  /** The number of jobs in its matrix. */
  readonly legs: number
}

/** Lists the uses of the agent's action and of the fleet, with their inputs. */
function listUses(workflow: Workflow): readonly Use[] {
  return Object.values(expandCalls(workflow).jobs).flatMap((job) => {
    const { strategy = {} } = job as { readonly strategy?: { readonly matrix?: Readonly<Record<string, unknown>> } }
    const legs = Object.values(strategy.matrix ?? {}).reduce<number>(
      (product, values) => product * (Array.isArray(values) ? values.length : 1),
      1,
    )
    if (job.uses === FLEET) return [{ given: (job as { readonly with?: Given }).with ?? {}, legs }]
    const steps = job.steps ?? []
    if (steps.some(({ uses }) => uses === REHEARSAL_ACTION)) return []
    return steps.filter(({ uses }) => uses === AGENT_ACTION).map((step) => ({ given: step.with ?? {}, legs }))
  })
}

/** Returns the maximum number of prompts of a use, including fix rounds. */
function countPrompts({ given, legs }: Use): number {
  const hasPrompt = ['prompt', 'prompt-file', 'command'].some((name) => name in given)
  if (!hasPrompt || given['dry-run'] === true) return 0
  const rounds = given['wait'] === false ? 0 : Number(given['fix-rounds'] ?? 0)
  return legs * (1 + rounds)
}

const getNumber = (cell: string): number => Number(/^\d+/.exec(cell)?.[0])

test('every recipe has a row', () => {
  const recipes = readdirSync(`${root}docs/recipes`).filter((name) => name.endsWith('.yml'))
  expect(rows.map(({ name }) => name)).toEqual(recipes.toSorted())
})

test.each(rows)('$name sends as many prompts in a run as the page says', ({ workflow, prompts }) => {
  const uses = listUses(workflow)
  expect(getNumber(prompts)).toBe(uses.reduce((sum, use) => sum + countPrompts(use), 0))
  const rounds = uses.map(({ given }) => Number(given['fix-rounds'] ?? 0)).find((count) => count > 0)
  expect(/and (\d) rounds/.exec(prompts)?.[1]).toBe(rounds?.toString())
})

test.each(rows)('$name sends as many follow-ups to one pull request as the page says', ({ workflow, followUps }) => {
  const limits = listUses(workflow)
    .filter(({ given }) => given['on-open-pr'] === 'follow-up')
    .map(({ given }) => Number(given['max-follow-ups'] ?? DEFAULT_MAX_FOLLOW_UPS))
  expect(followUps).toBe(limits[0]?.toString() ?? '–')
})

/** What starts a recipe, in the words of the page. */
const WORDS: Readonly<Record<string, RegExp>> = {
  push: /\ba push\b/,
  pull_request: /pull request/,
  release: /release/,
  issue_comment: /comment/,
  pull_request_review: /review/,
  repository_dispatch: /dispatch/,
  schedule: /^each (?:day|week|month)\b/,
  workflow_dispatch: /by hand$/,
  workflow_call: /call/,
}

test.each(rows)('the page says what starts $name', ({ workflow, starts }) => {
  const named = typeof workflow.on === 'string' ? [workflow.on] : Object.keys(workflow.on)
  const words = Object.entries(WORDS).filter(([, word]) => word.test(starts))
  const known = named.filter((event) => event in WORDS)
  expect(words.map(([event]) => event).toSorted()).toEqual(known.toSorted())
})

/** How often a schedule runs in a month at most, and its word on the page. */
function countRuns(cron: string): readonly [number, string] {
  const [, , day, , weekday] = cron.split(' ')
  if (day !== '*') return [1, 'each month']
  return weekday === '*' ? [31, 'each day'] : [5, 'each week']
}

const scheduled = rows.filter(({ starts }) => starts.startsWith('each'))
test.each(scheduled)('the page adds up the month of $name', ({ workflow, starts, prompts, bounds }) => {
  const { schedule: [{ cron }] = [{ cron: '' }] } = workflow.on as { readonly schedule?: [{ readonly cron: string }] }
  const [runs, word] = countRuns(cron)
  expect(starts).toContain(word)
  const most = runs * getNumber(prompts)
  expect(bounds).toMatch(most === 0 ? /^0: / : new RegExp(`^${runs} runs? a month: ${most}\\b`))
})

test.each(rows.filter((row) => !scheduled.includes(row) && row.name !== 'organisation-workflow.yml'))(
  'the page says what each event of $name costs',
  ({ prompts, bounds }) => {
    expect(getNumber(bounds)).toBe(getNumber(prompts))
  },
)

test.each(rows)('what bounds $name is in it', ({ bounds, text }) => {
  const called = text.includes(CENTRAL_WORKFLOW)
    ? readFileSync(`${root}docs/recipes/organisation-workflow.yml`, 'utf8')
    : ''
  const named = Array.from(bounds.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
  expect(named.filter((name) => !`${text}\n${called}`.includes(name))).toEqual([])
  for (const name of ['paths:', 'skip-labels:', 'on-open-pr: skip'])
    if (new RegExp(`^ {10}${name}`, 'm').test(text) && getNumber(bounds) > 0)
      expect(bounds).toContain(`\`${name.replace(/:$/, '')}\``)
})

test.each(rows)('the page says whether a part of $name only waits', ({ workflow, bounds }) => {
  const attaches = ({ given }: Use): boolean => 'job-id' in given && !('prompt' in given)
  expect(bounds.includes('only waits')).toBe(listUses(workflow).some(attaches))
})

test('the page adds up a rolling pull request that nobody looks at', () => {
  expect(page).toContain(`at most ${1 + DEFAULT_MAX_FOLLOW_UPS} prompts (1 and ${DEFAULT_MAX_FOLLOW_UPS} follow-ups)`)
})
