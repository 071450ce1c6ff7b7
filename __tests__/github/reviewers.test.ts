import { expect, test } from '@jest/globals'
import type { ReviewEvent } from '../../src/emulator/github/pull-state.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }
const happened = (event: ReviewEvent['event'], name: string): ReviewEvent => ({
  ...{ id: 8, event, actor: 'ann', name, atMs: 0 },
})
const BEFORE = [
  ...[happened('review_requested', 'Mona'), happened('review_requested', 'acme/writers')],
  happened('review_request_removed', 'dora'),
  ...Array.from({ length: 200 }, () => happened('reviewed', 'ann')),
  happened('reviewed', 'last'),
]
const docs = (reviewEvents: ReviewEvent[] = []) =>
  repositoryWithPull({ reviewEvents }, { collaborators: { mona: 'write', ann: 'write' }, teams: ['writers'] })

test('knows who was asked, who took themselves out and who has reviewed, also of a later page', async () => {
  const found = await askingGitHub({ docs: docs(BEFORE) }, (github) => github.listReviewersSoFar(ADDRESS))
  expect([...new Set(found)].sort()).toEqual(['acme/writers', 'ann', 'dora', 'last', 'mona'])
})

test('asks a person, and a team of the owner', async () => {
  await askingGitHub({ docs: docs() }, async (github, { docs }) => {
    await github.requestReview(ADDRESS, 'ann')
    await github.requestReview(ADDRESS, 'Acme/writers')
    expect(docs.pulls[7]?.reviewEvents.map(({ name }) => name)).toEqual(['ann', 'acme/writers'])
  })
})

test.each([
  ['dora', 'Reviews may only be requested from collaborators'],
  ['other/writers', 'A team of another organization than `acme`'],
])('%s cannot be asked', async (name, message) => {
  const error = await askingGitHub({ docs: docs() }, (github) => errorOf(github.requestReview(ADDRESS, name)))
  expect(error).toMatchObject({ code: 'rejected', message: expect.stringContaining(message) as unknown })
})
