import { expect, test } from '@jest/globals'
import type { Visibility } from '../../../src/github/schemas.ts'
import { goOn } from '../../support/embedded-world.ts'
import { PUSH, type GivenRun } from '../../support/fake-github.ts'

const CODE = 'acme/secret-code'
const COMPARED = `https://git.example.com/${CODE}/compare/a...b`

/** A push to a repository of which every name is secret. */
function pushTo(repository: string, visibility: Visibility | undefined): Partial<GivenRun> {
  const sender = { login: 'secret-mona', type: 'User' }
  const commits = PUSH.commits.map((commit) => ({ ...commit, message: 'A secret plan' }))
  const payload = { ...PUSH, ref: 'refs/heads/secret-plan', compare: COMPARED, sender, commits }
  return {
    ...{ eventName: 'push', actor: 'secret-mona', refName: 'secret-plan', stepId: 'secret-step', repository },
    payload: { ...payload, repository: { ...PUSH.repository, visibility } },
  }
}

/** The log of a pull request in acme/docs. */
async function logOf(facts: Partial<GivenRun>, target: Visibility, given: Readonly<Record<string, string>>) {
  const { docs, report } = await goOn(given, {
    facts,
    furnish: (docs) => {
      docs.visibility = target
    },
  })
  expect(report.outcome).toBe('pull-request')
  const bodies = Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body))
  return bodies.filter((body) => body.includes('<!-- row=')).join('\n')
}

const NEW_JOB = { 'on-open-pr': 'new' }
const IN_DOCS = { 'pr-repository': 'acme/docs' }
const IN_CODE = { ...NEW_JOB, 'pr-repository': CODE }

test.each<[Visibility | undefined, Visibility, Readonly<Record<string, string>>]>([
  ['private', 'public', IN_DOCS],
  ['private', 'public', NEW_JOB],
  // The job's link leads to acme/docs, whatever the input says.
  ['private', 'public', IN_CODE],
  ['internal', 'public', IN_DOCS],
  ['internal', 'private', IN_DOCS],
  ['private', 'internal', IN_DOCS],
  [undefined, 'public', IN_DOCS],
])('the log names nothing of a source that is %s where the pull request is %s (%j)', async (source, target, given) => {
  const log = await logOf(pushTo(CODE, source), target, given)
  expect(log).toContain('| a run in another repository |')
  expect(log).not.toContain('secret')
  expect(log).not.toContain('/actions/runs/')
})

test.each<[string, Visibility | undefined, Visibility]>([
  [CODE, 'public', 'public'],
  [CODE, 'private', 'private'],
  ['ACME/docs', undefined, 'public'],
])('the log names %s, which is %s, where the pull request is %s', async (repository, source, target) => {
  const log = await logOf(pushTo(repository, source), target, IN_DOCS)
  expect(log).toContain('push to <code>secret&#45;plan</code> by <code>secret&#45;mona</code>')
  expect(log).toContain(`/${repository}/actions/runs/42`)
  expect(log).toContain('step <code>secret&#45;step</code>')
})
