import { expect, test } from '@jest/globals'
import {
  AGENT_ACTION,
  CENTRAL_RECIPE,
  CENTRAL_WORKFLOW,
  getPermissions,
  readWorkflow,
  listWorkflowsToCopy,
  readWorkflowFiles,
  type Workflow,
} from '../support/workflow-files.ts'

/** The steps that ask the agent, each with its job; a rehearsal asks nobody. */
function listAgentSteps(workflow: Workflow) {
  return Object.values(workflow.jobs).flatMap((job) =>
    (job.steps ?? [])
      .filter(({ uses }) => uses === AGENT_ACTION)
      .map((step) => ({ job, given: step.with ?? {} }))
      .filter(({ given }) => !('github-api-url' in given)),
  )
}

type Given = ReturnType<typeof listAgentSteps>[number]['given']
/** A step that attaches to a job sends nothing. */
const sends = (given: Given): boolean => 'prompt' in given || 'prompt-file' in given

const WORKFLOWS = listWorkflowsToCopy().filter(({ workflow }) => listAgentSteps(workflow).length > 0)

test.each(WORKFLOWS)('$name goes on with a pull request that a red run has left open', ({ workflow }) => {
  for (const { given } of listAgentSteps(workflow)) {
    const looks = given['wait-for-checks'] === true || 'allowed-paths' in given
    const mayBeRed = /checks|out-of-scope/.test(JSON.stringify(given['fail-on'] ?? 'checks, out-of-scope'))
    // A comment that asks again says itself where.
    if (looks && mayBeRed && sends(given) && !('command' in given))
      expect(given['on-open-pr']).toMatch(/^(?:follow-up|skip)$/)
  }
})

test.each(listWorkflowsToCopy())('$name loses nothing with a run that gives way to the next one', ({ workflow }) => {
  const groups = [workflow.concurrency, ...Object.values(workflow.jobs).map(({ concurrency }) => concurrency)]
  const waiting = groups.filter((group) => group !== undefined)
  if (waiting.length === 0) return
  const events = Object.keys(workflow.on)
  if (events.includes('push')) {
    for (const { job, given } of listAgentSteps(workflow).filter(({ given }) => sends(given))) {
      expect(given['change-range']).toBe('since-last-success')
      expect(getPermissions(workflow, job)).toMatchObject({ contents: 'read', actions: 'read' })
    }
  }
  const hasWords =
    JSON.stringify(workflow.on).includes('"inputs"') || events.some((name) => /comment|review/.test(name))
  if (hasWords) expect(waiting.map(({ queue }) => queue)).toEqual(['max'])
})

test.each(WORKFLOWS)('$name never runs twice at the same time if its runs share a pull request', ({ workflow }) => {
  for (const { job, given } of listAgentSteps(workflow)) {
    const isPerEvent = String(given['label']).includes('github.event')
    if (isPerEvent || !/^(?:follow-up|skip)$/.test(String(given['on-open-pr']))) continue
    // The engine that plays the recipes ignores concurrency.
    expect(job.concurrency ?? workflow.concurrency).toMatchObject({ 'cancel-in-progress': false })
  }
})

test.each(WORKFLOWS)('$name may read what it looks at, and leaves it to GitHub who may write', ({ workflow }) => {
  expect(JSON.stringify(workflow)).not.toContain('author_association')
  for (const { job, given } of listAgentSteps(workflow)) {
    const may = getPermissions(workflow, job)
    if (given['wait-for-checks'] === true)
      expect(may).toMatchObject({ checks: 'read', statuses: 'read', actions: 'read' })
    if ('allowed-paths' in given) expect(may['contents']).toMatch(/^(?:read|write)$/)
  }
})

test.each(WORKFLOWS)('$name may create the label that its pull requests get', ({ workflow }) => {
  for (const { job, given } of listAgentSteps(workflow)) {
    const marks = given['dry-run'] !== true && given['wait'] !== false && given['label'] !== ''
    if (marks) expect([given, getPermissions(workflow, job)['issues']]).toEqual([given, 'write'])
  }
})

test.each(readWorkflowFiles())('$path makes the token of an app in the job that uses it', ({ path, text }) => {
  expect(text).not.toMatch(/needs\.[\w-]+\.outputs\.[\w-]*token/i)
  for (const { steps = [] } of Object.values(readWorkflow(path).jobs)) {
    const used = Array.from(JSON.stringify(steps).matchAll(/steps\.([\w-]+)\.outputs\.token/g), ([, id]) => id)
    const made = steps.filter(({ uses = '' }) => uses.startsWith('actions/create-github-app-token@'))
    expect(new Set(made.map(({ id }) => id))).toEqual(new Set([...used, ...made.map(({ id }) => id)]))
  }
})

test('no two recipes that go on with a pull request have the same one, and no two wait for each other', () => {
  const recipes = WORKFLOWS.filter(({ name }) => name.endsWith('.yml'))
  const labels = recipes.flatMap(({ workflow }) =>
    listAgentSteps(workflow).flatMap(({ given }) => ('on-open-pr' in given ? [given['label'] ?? 'docs-agent'] : [])),
  )
  expect(labels).toEqual([...new Set(labels)])
  const groups = recipes.flatMap(({ workflow: { concurrency } }) => concurrency?.group ?? [])
  expect(groups).toEqual([...new Set(groups)])
})

test('who calls the workflow of an organisation grants what its job asks for, and no more', () => {
  const caller = readWorkflow('docs/recipes/organisation-caller.yml')
  const called = readWorkflow(CENTRAL_RECIPE)
  expect(Object.values(caller.jobs).map(({ uses }) => uses)).toEqual([CENTRAL_WORKFLOW])
  expect(Object.values(called.jobs).map(({ permissions }) => permissions)).toEqual([caller.permissions])
})

test('a pre-release gets no notes: GitHub says released of full releases only', () => {
  const notes = listWorkflowsToCopy().find(({ name }) => name === 'release-notes.yml')
  expect(notes?.workflow).toHaveProperty('on.release.types', ['released'])
})
