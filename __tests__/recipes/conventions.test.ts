import { expect, test } from '@jest/globals'
import { DEFAULT_LABEL } from '../../src/agent/facts.ts'
import {
  AGENT_ACTION,
  REHEARSAL_ACTION,
  readWorkflow,
  readWorkflowFiles,
  type Workflow,
} from '../../testing/workflow-files.ts'

type Job = Workflow['jobs'][string]

const RECIPES = readWorkflowFiles()
  .filter(({ path }) => path.startsWith('docs/recipes/'))
  .map(({ path, text }) => ({
    name: path.replace('docs/recipes/', ''),
    text,
    head: text.slice(0, text.indexOf('\nname: ')),
    workflow: readWorkflow(path),
  }))

const isRehearsal = ({ steps = [] }: Job): boolean => steps.some(({ uses }) => uses === REHEARSAL_ACTION)

/** Lists the inputs of the steps of a job that use the agent. */
function listUses(job: Job) {
  if (isRehearsal(job)) return []
  return (job.steps ?? []).filter(({ uses }) => uses === AGENT_ACTION).map(({ with: given = {} }) => given)
}

/** Whether a step sends prompts, and does not only attach to a job. */
const isSending = (given: object): boolean => ['prompt', 'prompt-file', 'command'].some((name) => name in given)

test.each(RECIPES)('$name says what it needs, and marks every line that must be changed', ({ head, text }) => {
  expect(head).toMatch(/^# Needs: /m)
  const lines = text.slice(head.length).split('\n')
  const toChange = lines.filter((line) =>
    /^ +(?:branches: \[|paths: \['(?!\.github)|- cron: |language: \[)|^[ -]+uses: your-org\//.test(line),
  )
  expect(toChange.filter((line) => !line.includes('# CHANGE: '))).toEqual([])
  expect(head.includes('\n# Change: the lines that say CHANGE.')).toBe(
    lines.some((line) => line.includes('# CHANGE: ')),
  )
})

const isGuarded = ({ if: condition = '' }: Job): boolean =>
  /^vars\.DOCS_AGENT_PAUSED != 'true'(?: &&|$)/.test(condition)

test.each(RECIPES)('$name sends no prompt while DOCS_AGENT_PAUSED is true', ({ head, workflow: { jobs } }) => {
  const sending = Object.values(jobs).filter((job) => listUses(job).some(isSending))
  // A job is skipped if a job that it needs was skipped, unless its condition calls a status function.
  const unguarded = sending.filter(
    (job) =>
      !isGuarded(job) &&
      !(
        typeof job.needs === 'string' &&
        isGuarded(jobs[job.needs] ?? {}) &&
        !/always|failure|cancelled/.test(job.if ?? '')
      ),
  )
  expect(unguarded).toEqual([])
  if (sending.length > 0) expect(head).toContain('\n# Pause: set the variable DOCS_AGENT_PAUSED to `true`')
})

test('attach.yml has the default label of the action, which no message repeats', () => {
  const attach = RECIPES.find(({ name }) => name === 'attach.yml')
  expect(attach?.text).toContain(`        default: ${DEFAULT_LABEL}\n`)
})

test.each(RECIPES)('$name names attach.yml where a step can time out', ({ name, text, workflow: { jobs } }) => {
  const waits = Object.values(jobs)
    .flatMap(listUses)
    .some((given) => given['dry-run'] !== true)
  if (waits && name !== 'attach.yml') expect(text).toMatch(/After a timeout,? start attach\.yml/)
})

test.each(RECIPES)('the paths that trigger $name are those of its steps', ({ workflow: { on, jobs } }) => {
  const paths = Object.values(on).flatMap(
    (filter: { readonly paths?: readonly string[] } | null) => filter?.paths ?? [],
  )
  const sending = Object.values(jobs).flatMap(listUses).filter(isSending)
  if ('push' in on) expect(paths).not.toEqual([])
  if (paths.length > 0) for (const given of sending) expect(String(given['paths']).trim().split('\n')).toEqual(paths)
})

// The workflow engine that runs the recipes ignores `fail-fast`, so the recipe checks do not cover this.
test('a failed job of a matrix does not cancel the others', () => {
  const strategies = RECIPES.flatMap(({ workflow: { jobs } }) =>
    Object.values(jobs).flatMap((job) => job.strategy ?? []),
  )
  expect(strategies).not.toEqual([])
  expect(strategies.filter((strategy) => strategy['fail-fast'] !== false)).toEqual([])
})

test('recipes merge by the link of the pull request', () => {
  const merges = RECIPES.flatMap(({ text }) => text.match(/gh pr merge\b[^\n]*/g) ?? [])
  expect(merges).not.toEqual([])
  for (const merge of merges) expect(merge).toMatch(/^gh pr merge "\$PR_LINK" /)
})

test('recipes that can run on a schedule do not read the repository from the event', () => {
  const reading = RECIPES.filter(({ text }) => text.includes('{ github.event.repository.')).map(({ name }) => name)
  expect(reading).toEqual(['many-to-one.yml', 'on-dispatch.yml'])
})
