import { expect, test } from '@jest/globals'
import { MAINTAINER, STRANGER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import type { RepositoryState } from '../../src/emulator/github/state.ts'
import { editComment, listComments } from '../../src/github/marker-comments.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }
const MARKER = '<!-- docs-agent-action: job=job_1 -->'

function commented(): RepositoryState {
  const authors = [TOKEN_USER, STRANGER, MAINTAINER]
  const comments = authors.map((user, index) => ({
    id: 701 + index,
    user,
    body: MARKER,
    createdAtMs: 0,
    reactions: [],
  }))
  return repositoryWithPull({ comments }, { collaborators: { [MAINTAINER]: 'maintain' } })
}

test('gives the comments of strangers too, and says whose can be trusted', async () => {
  const found = await askingGitHub({ docs: commented() }, ({ ask }) => listComments(ask, ADDRESS))
  expect(found).toEqual([
    { id: 701, body: MARKER, isTrusted: true },
    { id: 702, body: MARKER, isTrusted: false },
    { id: 703, body: MARKER, isTrusted: true },
  ])
})

test('changes one comment and no other', async () => {
  await askingGitHub({ docs: commented() }, async ({ ask, github }) => {
    await editComment(ask, 'acme/docs', 701, 'counted')
    expect(github.docs.pulls[7]?.comments.map(({ body }) => body)).toEqual(['counted', MARKER, MARKER])
  })
})

test('says which permission it needs', async () => {
  const options = { docs: commented(), state: { permissions: { 'pull-requests': 'read' } } } as const
  const error = await askingGitHub(options, ({ ask }) => errorOf(editComment(ask, 'acme/docs', 701, 'counted')))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`pull-requests: write`') as unknown })
})
