import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { createDemoState, MAINTAINER, openFakePull } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import {
  addLabel,
  closePull,
  comment,
  commentOnLines,
  dispatch,
  merge,
  push,
  pushTag,
  release,
  review,
  schedule,
  type Scene,
} from '../../../src/emulator/github/trigger-events.ts'
import type { WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'

type Fields = Readonly<Record<string, unknown>>

const PUBLISHED = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly Fields[]
}[]

function openScene() {
  const state = createDemoState(combineScenarios([]), 0)
  const docs = state.repositories['acme/docs'] ?? createRepositoryState()
  openFakePull(docs, 9, 0)
  const scene: Scene = { state, repository: 'acme/docs', baseUrl: 'https://github.example', nowMs: 1_000 }
  return { docs, scene }
}

const WRITTEN = { user: MAINTAINER, body: '/docs Shorten it.' }
const LINE = { path: 'src/deploy.ts', line: 2, diffHunk: '@@ -1 +1,2 @@' }
const CHANGE = { message: 'Second', author: MAINTAINER, files: [{ filename: 'src/deploy.ts' }] }

/** Fields of GitHub's documentation that the collection of payloads does not have. */
const NEWER = ['schedule', 'issue.timeline_url', 'issue.pull_request', 'comment.subject_type']

/** What happens, and what it leaves in the repository. */
const EVENTS: readonly (readonly [
  what: string,
  trigger: (scene: Scene) => WebhookEvent,
  listLeft: (docs: ReturnType<typeof openScene>['docs']) => unknown,
  left: unknown,
])[] = [
  ['a push', (scene) => push(scene, 'main', CHANGE), ({ commits }) => commits.at(-1)?.message, 'Second'],
  ['a tag', (scene) => pushTag(scene, 'v2'), ({ tags, branches }) => tags['v2'] === branches['main'], true],
  ['a merge', (scene) => merge(scene, 9, MAINTAINER), ({ pulls }) => pulls[9]?.merge?.by, MAINTAINER],
  [
    'a merged pull request',
    (scene) => closePull(scene, 9, MAINTAINER, true),
    ({ pulls }) => pulls[9]?.merge?.by,
    MAINTAINER,
  ],
  [
    'a closed pull request',
    (scene) => closePull(scene, 9, MAINTAINER, false),
    ({ pulls }) => [pulls[9]?.state, pulls[9]?.merge],
    ['closed', undefined],
  ],
  ['a label', (scene) => addLabel(scene, 9, 'needs-docs', MAINTAINER), ({ pulls }) => pulls[9]?.labels, ['needs-docs']],
  [
    'a comment',
    (scene) => comment(scene, 9, WRITTEN),
    ({ pulls }) => pulls[9]?.comments.map(({ body }) => body),
    [WRITTEN.body],
  ],
  [
    'a comment on lines',
    (scene) => commentOnLines(scene, 9, WRITTEN, LINE),
    ({ pulls }) => pulls[9]?.reviewComments.map(({ line }) => line),
    [2],
  ],
  [
    'a review',
    (scene) => review(scene, 9, WRITTEN, [{ ...LINE, body: 'Why?' }]),
    ({ pulls }) => [pulls[9]?.reviews[0]?.id === pulls[9]?.reviewComments[0]?.reviewId, pulls[9]?.reviews.length],
    [true, 1],
  ],
  [
    'a release',
    (scene) => release(scene, { id: 3, tag: 'v2', by: MAINTAINER }),
    ({ tags, branches }) => tags['v2'] === branches['main'],
    true,
  ],
  ['a schedule', (scene) => schedule(scene, '0 0 * * *'), () => undefined, undefined],
  [
    'a manual start',
    (scene) => dispatch(scene, { by: MAINTAINER, ref: 'refs/heads/main', inputs: { change: 'v1' } }),
    () => undefined,
    undefined,
  ],
]

/** Lists the fields of an event, and those of its parts, such as `comment.body`. */
const listFields = (payload: Fields): readonly string[] =>
  Object.entries(payload).flatMap(([name, value]) => {
    const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, ...(isPart && name !== 'inputs' ? Object.keys(value).map((field) => `${name}.${field}`) : [])]
  })

test.each(EVENTS)('%s changes the repository, and its event has only fields of GitHub’s payloads', (...row) => {
  const [, happen, listLeft, left] = row
  const { docs, scene } = openScene()
  const { name, payload } = happen(scene)
  expect(listLeft(docs)).toEqual(left)
  const known = new Set([...NEWER, ...PUBLISHED.flatMap(({ examples }) => examples.flatMap(listFields))])
  expect([name, listFields(payload).filter((field) => !known.has(field))]).toEqual([name, []])
})

test('a second close of a merged pull request gives the same event, and merges nothing', () => {
  const { docs, scene } = openScene()
  const first = closePull(scene, 9, MAINTAINER, true)
  const { commits } = structuredClone(docs)
  expect(closePull(scene, 9, MAINTAINER, true)).toEqual(first)
  expect(docs.commits).toEqual(commits)
})

test('what does not exist cannot happen', () => {
  const { scene } = openScene()
  expect(() => merge(scene, 99, MAINTAINER)).toThrow('There is no pull request #99.')
  expect(() => schedule({ ...scene, repository: 'acme/other' }, '')).toThrow('no repository acme/other')
})
