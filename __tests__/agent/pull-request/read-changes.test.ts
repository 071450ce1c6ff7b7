import { expect, test } from '@jest/globals'
import { readChanges } from '../../../src/agent/pull-request/read-changes.ts'
import type { TaskResult } from '../../../src/agent/report/report.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { CREATE, FOLLOW_UP } from '../../support/report.ts'
import { job } from '../../support/fake-client.ts'
import { fakeGitHub, PULL_REQUEST, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeStep } from '../../support/fake-step.ts'

const FILES = [{ path: 'docs/guide.md', additions: 1, deletions: 0 }]
const LINKED = job({ status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' })
const CREATED: TaskResult = { outcome: 'pull-request', operation: 'created', job: LINKED }
const UNCHANGED: TaskResult = { outcome: 'no-changes', operation: 'unchanged', job: LINKED }
const updated = (since: string): TaskResult => ({
  ...{ outcome: 'pull-request', operation: 'updated', job: LINKED },
  added: { commits: 1, since },
})

async function read([own, ...rounds]: readonly [TaskResult, ...TaskResult[]], answers: Partial<GitHub> = {}) {
  const bases: string[] = []
  const usual = fakeGitHub()
  const github = fakeGitHub({
    compare: (repository, base, head) => {
      bases.push(base)
      return usual.compare(repository, base, head)
    },
    ...answers,
  })
  const step = fakeStep({ github })
  await step.journal.heads.read(() => Promise.resolve(PULL_REQUEST))
  const turns = [{ task: CREATE, result: own }, ...rounds.map((result) => ({ task: FOLLOW_UP, result }))] as const
  const changes = await readChanges(turns, step)
  return { bases, changes, shortfalls: step.journal.shortfalls }
}

test.each<[string, readonly [TaskResult, ...TaskResult[]], string[]]>([
  ['a new pull request is compared with its base', [CREATED, updated('b1')], ['main']],
  ['one that was there, with its head before', [updated('b1'), updated('b2')], ['b1']],
  ['a round may be the first that adds something', [UNCHANGED, updated('b2')], ['b2']],
  ['nothing is asked where nothing was added', [UNCHANGED], []],
  ['nothing is asked where that is not known', [{ outcome: 'pull-request', job: LINKED }], []],
])('%s', async (_what, results, bases) => {
  const found = await read(results)
  expect(found.bases).toEqual(bases)
  expect(found.changes).toEqual(bases.length === 0 ? undefined : { files: FILES, isWhole: true })
})

test('a branch that was rewritten, and a GitHub that does not tell, cost nothing but the files', async () => {
  const { compare } = fakeGitHub()
  const diverged: GitHub['compare'] = async (...asked) => ({ ...(await compare(...asked)), relation: 'diverged' })
  for (const answer of [diverged, rejecting(refusal('forbidden'))])
    expect(await read([CREATED], { compare: answer })).toMatchObject({ changes: undefined, shortfalls: [] })
})
