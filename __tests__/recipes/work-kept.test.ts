import { expect, test } from '@jest/globals'
import {
  AGENT_ACTION,
  CENTRAL_RECIPE,
  CENTRAL_WORKFLOW,
  getDefaultInput,
  getPermissions,
  REHEARSAL_ACTION,
  readWorkflow,
  listWorkflowsToCopy,
  readWorkflowFiles,
  type Workflow,
} from '../../testing/workflow-files.ts'

/** Lists the steps that use the agent, with their jobs, except those of rehearsals. */
function listAgentSteps(workflow: Workflow) {
  return Object.values(workflow.jobs).flatMap((job) => {
    const steps = job.steps ?? []
    if (steps.some(({ uses }) => uses === REHEARSAL_ACTION)) return []
    return steps.filter(({ uses }) => uses === AGENT_ACTION).map((step) => ({ job, given: step.with ?? {} }))
  })
}

type Given = ReturnType<typeof listAgentSteps>[number]['given']
/** A step that attaches to a job sends no prompt. */
const sends = (given: Given): boolean => 'prompt' in given || 'prompt-file' in given

const WORKFLOWS = listWorkflowsToCopy().filter(({ workflow }) => listAgentSteps(workflow).length > 0)

test.each(WORKFLOWS)('$name continues a pull request that a red run left open', ({ workflow }) => {
  for (const { given } of listAgentSteps(workflow)) {
    const looks = given['wait-for-checks'] === true || 'allowed-paths' in given
    const mayBeRed = /checks|out-of-scope/.test(JSON.stringify(given['fail-on'] ?? 'checks, out-of-scope'))
    // A comment names its pull request itself.
    if (looks && mayBeRed && sends(given) && !('command' in given))
      expect(given['on-open-pr']).toMatch(/^(?:follow-up|skip)$/)
  }
})

test.each(listWorkflowsToCopy())(
  '$name loses no change if a waiting run is cancelled by the next one',
  ({ workflow }) => {
    const groups = [workflow.concurrency, ...Object.values(workflow.jobs).map(({ concurrency }) => concurrency)]
    const waiting = groups.filter((group) => group !== undefined)
    if (waiting.length === 0) return
    const events = Object.keys(workflow.on)
    if (events.includes('push')) {
      for (const { job, given } of listAgentSteps(workflow).filter(({ given }) => sends(given))) {
        expect(getDefaultInput(given['change-range'])).toBe('since-last-success')
        expect(getPermissions(workflow, job)).toMatchObject({ contents: 'read', actions: 'read' })
      }
    }
    // Whoever starts a run with another range sees that it was cancelled.
    const { workflow_dispatch: byHand } = workflow.on as { workflow_dispatch?: { inputs?: object } | null }
    const inputs = Object.keys(byHand?.inputs ?? {}).filter((name) => name !== 'change-range')
    const hasWords = inputs.length > 0 || events.some((name) => /comment|review/.test(name))
    if (hasWords) expect(waiting.map(({ queue }) => queue)).toEqual(['max'])
  },
)

test.each(WORKFLOWS)('$name never runs twice at the same time if its runs share a pull request', ({ workflow }) => {
  for (const { job, given } of listAgentSteps(workflow)) {
    const isPerEvent = String(given['label']).includes('github.event')
    if (isPerEvent || !/^(?:follow-up|skip)$/.test(String(given['on-open-pr']))) continue
    // act ignores concurrency, so the recipe checks do not cover this.
    expect(job.concurrency ?? workflow.concurrency).toMatchObject({ 'cancel-in-progress': false })
  }
})

test.each(WORKFLOWS)(
  '$name has the permissions that its inputs need, and does not check write access itself',
  ({ workflow }) => {
    expect(JSON.stringify(workflow)).not.toContain('author_association')
    for (const { job, given } of listAgentSteps(workflow)) {
      const may = getPermissions(workflow, job)
      if (given['wait-for-checks'] === true)
        expect(may).toMatchObject({ checks: 'read', statuses: 'read', actions: 'read' })
      if ('allowed-paths' in given) expect(may['contents']).toMatch(/^(?:read|write)$/)
    }
  },
)

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

test('recipes that continue a pull request have different labels, and all recipes have different concurrency groups', () => {
  // on-push.yml is on-schedule.yml with another trigger, so a repository has one of them.
  const recipes = WORKFLOWS.filter(({ name }) => name.endsWith('.yml') && name !== 'on-push.yml')
  const labels = recipes.flatMap(({ workflow }) =>
    listAgentSteps(workflow).flatMap(({ given }) => ('on-open-pr' in given ? [given['label'] ?? 'docs-agent'] : [])),
  )
  expect(labels).toEqual([...new Set(labels)])
  const groups = recipes.flatMap(({ workflow: { concurrency } }) => concurrency?.group ?? [])
  expect(groups).toEqual([...new Set(groups)])
})

test('the caller of the central workflow grants exactly the permissions of its job', () => {
  const caller = readWorkflow('docs/recipes/organisation-caller.yml')
  const called = readWorkflow(CENTRAL_RECIPE)
  expect(Object.values(caller.jobs).map(({ uses }) => uses)).toEqual([CENTRAL_WORKFLOW])
  expect(Object.values(called.jobs).map(({ permissions }) => permissions)).toEqual([caller.permissions])
})

test('a pre-release gets no notes: GitHub sends `released` for full releases only', () => {
  const notes = listWorkflowsToCopy().find(({ name }) => name === 'release-notes.yml')
  expect(notes?.workflow).toHaveProperty('on.release.types', ['released'])
})
