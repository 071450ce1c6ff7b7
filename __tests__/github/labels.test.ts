import { expect, test } from '@jest/globals'
import { addLabel, hasLabel } from '../../src/github/labels.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { repositoryWithPull } from '../support/github-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

test('a label is the same in other letters, and no label is none', () => {
  expect([hasLabel('Docs-Agent', ['docs', 'docs-agent']), hasLabel('docs-agent', ['docs'])]).toEqual([true, false])
  expect(hasLabel('', [''])).toBe(false)
})

test('makes a label that the repository does not know, and puts it on', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.docs.labels).toEqual(['docs-agent'])
    expect(github.docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test('takes a label that is there as it is', async () => {
  await askingGitHub({ docs: repositoryWithPull({}, { labels: ['docs-agent'] }) }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.requests).toEqual(['issues/get-label', 'issues/add-labels'])
  })
})

test('a label that somebody else makes in the same moment is put on as well', async () => {
  const docs = repositoryWithPull()
  const beforeAnswer = (operation: string): void => {
    if (operation === 'issues/create-label') docs.labels.push('docs-agent')
  }
  await askingGitHub({ docs, beforeAnswer }, async ({ ask, github }) => {
    await addLabel(ask, ADDRESS, 'docs-agent')
    expect(github.docs.pulls[7]?.labels).toEqual(['docs-agent'])
  })
})

test.each([
  ['looked up', ['issues/get-label']],
  ['made', ['issues/get-label', 'issues/create-label']],
])('a label that may not be %s is not put on', async (_what, requests) => {
  const server = { docs: repositoryWithPull(), faults: { [requests.at(-1) ?? '']: [403] } } as const
  await askingGitHub(server, async ({ ask, github }) => {
    expect(await errorOf(addLabel(ask, ADDRESS, 'docs-agent'))).toMatchObject({ code: 'forbidden' })
    expect(github.requests).toEqual(requests)
  })
})

test('says which permission a label needs', async () => {
  const options = { docs: repositoryWithPull(), state: { permissions: { 'pull-requests': 'read' } } } as const
  const error = await askingGitHub(options, ({ ask }) => errorOf(addLabel(ask, ADDRESS, 'docs-agent')))
  expect(error).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`pull-requests: write`') as unknown,
  })
})
