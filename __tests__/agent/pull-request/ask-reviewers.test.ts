import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { askReviewers } from '../../../src/agent/pull-request/ask-reviewers.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import { fakeGitHub, PULL_REQUEST, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { SEED } from '../../support/seed.ts'

interface World {
  readonly authors?: readonly string[]
  readonly names?: readonly string[]
  /** Who was asked before or has reviewed. */
  readonly soFar?: readonly string[]
  readonly readers?: readonly string[]
  readonly refused?: Readonly<Record<string, ActionError>>
  readonly openedBy?: string
}

interface Asked {
  readonly asked: readonly string[]
  readonly losses: readonly string[]
  readonly lookedUp: readonly string[]
  readonly said: readonly string[]
}

async function ask(world: World, github = {}): Promise<Asked> {
  const { authors = [], names = [], soFar = [], readers = [], refused = {}, openedBy = 'docs-agent[bot]' } = world
  const asked: string[] = []
  const lookedUp: string[] = []
  const core = fakeHost()
  const inputs = agentInputs({ reviewers: { hasAuthors: true, names } })
  const journal = new Journal(inputs, fakeStep({ core }))
  const fake = fakeGitHub({
    listReviewersSoFar: () => Promise.resolve(soFar),
    mayWrite: (_repository, { login }) => {
      lookedUp.push(login)
      return Promise.resolve(!readers.includes(login))
    },
    requestReview: (_pullRequest, name) => {
      const { [name]: error } = refused
      if (error === undefined) asked.push(name)
      return error === undefined ? Promise.resolve() : Promise.reject(error)
    },
    ...github,
  })
  const pullRequest = { ...PULL_REQUEST, author: { login: openedBy, type: 'User' } }
  await askReviewers(pullRequest, authors, inputs, fake, journal)
  return { asked, lookedUp, losses: journal.shortfalls.map(({ lost }) => lost), said: core.said }
}

test('asks those who are named and those who wrote the change, each once', async () => {
  const { asked, said } = await ask({ names: ['Mona', 'acme/writers'], authors: ['ann', 'mona', 'bob'] })
  expect(asked).toEqual(['mona', 'acme/writers', 'ann', 'bob'])
  expect(said).toContain('log: `ann` is asked for a review.')
})

test('nobody is asked about where nobody is to be asked', async () => {
  const github = fakeGitHub()
  await ask({ openedBy: 'ann', authors: ['Ann'] }, github)
  expect(github.asked).toEqual([])
})

test('an author is asked only if they may write, and never whoever opened the pull request', async () => {
  const { asked } = await ask({ authors: ['ann', 'bob', 'cid'], names: ['Dan'], readers: ['bob'], openedBy: 'dan' })
  expect(asked).toEqual(['ann', 'cid'])
})

test('of many authors the first five who may write are asked, and ten are looked up at most', async () => {
  const authors = Array.from({ length: 30 }, (_, index) => `u${index}`)
  expect((await ask({ authors, readers: ['u1'] })).asked).toEqual(['u0', 'u2', 'u3', 'u4', 'u5'])
  expect((await ask({ authors, soFar: ['u0', 'u2'] })).asked).toEqual(['u1', 'u3', 'u4'])
  expect((await ask({ authors, readers: authors })).lookedUp).toHaveLength(10)
})

test('in whatever course of runs, nobody is asked twice for a pull request', async () => {
  const name = fc.constantFrom('ann', 'Ann', 'bob', 'BOB', 'cid', 'acme/writers', 'Acme/Writers')
  const runs = fc.array(fc.record({ names: fc.array(name), authors: fc.array(name) }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(runs, async (given) => {
      const all: string[] = []
      for (const { names, authors } of given)
        all.push(...(await ask({ names, authors, soFar: all })).asked.map((one) => one.toLowerCase()))
      expect(new Set(all).size).toBe(all.length)
    }),
    { seed: SEED },
  )
})

test('whoever cannot be asked is named, and the others are asked all the same', async () => {
  const { asked, losses } = await ask({ names: ['gone', 'ann'], refused: { gone: refusal('rejected') } })
  expect(asked).toEqual(['ann'])
  expect(losses).toEqual(['`gone` was not asked for a review'])
})

test('a token that may not ask is refused once', async () => {
  const { losses } = await ask({
    names: ['ann', 'bob'],
    refused: { ann: refusal('forbidden'), bob: refusal('forbidden') },
  })
  expect(losses).toEqual(['Not everybody was asked for a review'])
})

test('where nobody knows who was asked before, nobody is asked', async () => {
  const { asked, losses } = await ask({ names: ['ann'] }, { listReviewersSoFar: rejecting(refusal('service-error')) })
  expect(asked).toEqual([])
  expect(losses).toEqual(['Not everybody was asked for a review'])
})
