import { expect, test } from '@jest/globals'
import type { ReviewEvent } from '../../src/emulator/github/pull-state.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { connectReviewers } from '../../src/github/reviewers.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }
const PEOPLE: Partial<RepositoryState> = { collaborators: { mona: 'write', ann: 'write' }, teams: ['writers'] }

const happened = (event: ReviewEvent['event'], name: string): ReviewEvent => ({
  ...{ id: 8, event, actor: 'ann', name, atMs: 0 },
})

test('knows who was asked, who took themselves out and who has reviewed', async () => {
  const reviewEvents = [
    happened('review_requested', 'Mona'),
    happened('review_requested', 'acme/writers'),
    happened('review_request_removed', 'dora'),
    happened('reviewed', 'ann'),
  ]
  const docs = repositoryWithPull({ reviewEvents })
  await askingGitHub({ docs }, async ({ ask }) => {
    const found = await connectReviewers(ask).listReviewersSoFar(ADDRESS)
    expect([...found].sort()).toEqual(['acme/writers', 'ann', 'dora', 'mona'])
  })
})

test('what came on a later page counts too, and past a thousand events nothing is known', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => happened('review_requested', `u${index}`))
  const sizeOf = (count: number): Promise<unknown> =>
    askingGitHub({ docs: repositoryWithPull({ reviewEvents: many(count) }) }, ({ ask }) =>
      connectReviewers(ask)
        .listReviewersSoFar(ADDRESS)
        .then(
          ({ length }) => length,
          (error: unknown) => error,
        ),
    )
  expect(await sizeOf(250)).toBe(250)
  expect(await sizeOf(1_001)).toMatchObject({ code: 'rejected' })
})

test('asks a person, and a team of the owner', async () => {
  const docs = repositoryWithPull({}, PEOPLE)
  await askingGitHub({ docs }, async ({ ask }) => {
    await connectReviewers(ask).requestReview(ADDRESS, 'ann')
    await connectReviewers(ask).requestReview(ADDRESS, 'Acme/writers')
    expect(docs.pulls[7]?.reviewEvents.map(({ name }) => name)).toEqual(['ann', 'acme/writers'])
  })
})

test.each([
  ['dora', 'rejected', 'Reviews may only be requested from collaborators'],
  ['other/writers', 'rejected', 'A team of another organization than `acme`'],
])('%s cannot be asked', async (name, code, message) => {
  await askingGitHub({ docs: repositoryWithPull({}, PEOPLE) }, async ({ ask }) => {
    const error = await errorOf(connectReviewers(ask).requestReview(ADDRESS, name))
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as unknown })
  })
})

test('says which permission it needs', async () => {
  const state = { permissions: { 'pull-requests': 'read' } } as const
  await askingGitHub({ docs: repositoryWithPull({}, PEOPLE), state }, async ({ ask }) => {
    const error = await errorOf(connectReviewers(ask).requestReview(ADDRESS, 'ann'))
    expect(error).toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('`pull-requests: write`') as unknown,
    })
  })
})
