import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createMarkerComment,
  listAllMarkerComments,
  listMarkerCommentsOfJob,
  readRowKey,
  readWorkingUntil,
  recognizeComment,
  removeWorkingTag,
  renderReplyMarker,
  renderRowTags,
} from '../../src/agent/marker.ts'
import { hasLabel } from '../../src/github/labels.ts'
import { COMMENT } from '../support/comment-events.ts'
import { PULL_REQUEST } from '../support/fake-github.ts'
import { changeMarker, readMarker, toMarkerComment } from '../support/marker-bodies.ts'
import { SEED } from '../support/seed.ts'
import { SharedComments } from '../support/shared-comments.ts'

const NEW = createMarkerComment('job_1', ['docs-agent']).body
const COUNTED = changeMarker(NEW, { followUps: 7, countedBy: ['42.1', '43.1'] })
const REPLY = renderReplyMarker(COMMENT, {
  runId: 42,
  workflowJob: 'docs',
  runnerStepId: 'agent',
  inputsHash: '0123',
})
const MARKER = { jobId: 'job_1', labels: ['docs-agent'], followUps: 0, countedBy: [] }

test('renders hidden lines above a visible sentence', () => {
  expect(COUNTED).toBe(`<!-- docs-agent-action: job=job_1 -->
<!-- docs-agent-action: labels=docs-agent -->
<!-- docs-agent-action: follow-ups=7 -->
<!-- docs-agent-action: counted-by=42.1,43.1 -->
This pull request comes from the docs agent job \`job_1\`.`)
  expect(changeMarker(COUNTED, { followUps: 8 })).toBe(COUNTED.replace('follow-ups=7', 'follow-ups=8'))
})

test.each([
  ['no follow-up', NEW, MARKER],
  ['seven follow-ups', COUNTED, { ...MARKER, followUps: 7, countedBy: ['42.1', '43.1'] }],
  ['an unsigned count', COUNTED.replace(/\n.*counted-by.*/, ''), { ...MARKER, followUps: 7 }],
  ['a job only', '<!-- docs-agent-action: job=job_1 -->', { ...MARKER, labels: [] }],
  ['the line ends of browsers', COUNTED.replaceAll('\n', '\r\n'), readMarker(COUNTED)],
  ['a fact of a later version', NEW.replace('labels=', 'later=x -->\n<!-- docs-agent-action: labels='), MARKER],
  ['a count that is not a number', COUNTED.replace('=7', '=seven').replace('=42.1,43.1', '=?'), MARKER],
  ['a label with an invalid encoding', NEW.replace('docs-agent -->', 'docs-agent,%E0 -->'), MARKER],
  ['text in its last line', COUNTED.replace('43.1 -->\n', '43.1 --> Hi.'), readMarker(COUNTED)],
  ['a quote before it', `> ${NEW}`, undefined],
  ['no hidden line', 'docs-agent-action: job=job_1', undefined],
  ['a count without a job', '<!-- docs-agent-action: follow-ups=7 -->', undefined],
  ['an invalid job id', NEW.replace('job_1', 'job/1'), undefined],
])('reads a marker with %s, for its own job only', async (_name, body, marker) => {
  expect(readMarker(body)).toEqual(marker)
  const { github } = new SharedComments([body])
  const isRead = marker === undefined ? [] : [{ kind: 'marker', body, marker, id: 1, author: 'trusted' }]
  expect(await listAllMarkerComments(PULL_REQUEST, github)).toEqual(isRead)
  expect(await listMarkerCommentsOfJob(PULL_REQUEST, 'job_1', github)).toEqual(isRead)
  expect(await listMarkerCommentsOfJob(PULL_REQUEST, 'job_11', github)).toEqual([])
})

test('asks GitHub for marker comments only, so that no author of another comment is looked up', async () => {
  const bodies = [NEW, NEW.replace('job_1', 'job_2'), `> ${NEW}`, REPLY, 'Done.']
  const relevant: string[][] = []
  const listComments = (_place: unknown, isRelevant: (body: string) => boolean) => {
    relevant.push(bodies.filter((body) => isRelevant(body)))
    return Promise.resolve([])
  }
  await listAllMarkerComments(PULL_REQUEST, { listComments })
  await listMarkerCommentsOfJob(PULL_REQUEST, 'job_1', { listComments })
  expect(relevant).toEqual([bodies.slice(0, 2), [NEW]])
})

test("recognizes this action's comments by a marker or the hidden line of a reply at their beginning", () => {
  const withoutJob = NEW.replace('job_1', 'job/1')
  const bodies = [NEW, `${REPLY}\nDone.`, withoutJob, `> ${NEW}`, ` ${REPLY}`, 'Done.', '']
  expect(bodies.map((body) => recognizeComment(body).kind)).toEqual([
    'marker',
    'reply',
    'unreadable',
    'other',
    'other',
    'other',
    'other',
  ])
})

test('distinguishes the tags of a row from text by people', () => {
  const row = (...tags: Parameters<typeof renderRowTags>): string => `| 10:00 | push | done ${renderRowTags(...tags)} |`
  const rows = [row('42.1.a/b.7', undefined), row('42.1.8', 0), row('42.1.9', 1_000), '| 10:00 | push | done |']
  expect(rows.map(readRowKey)).toEqual(['42.1.a-b.7', '42.1.8', '42.1.9', undefined])
  expect(rows.map(readWorkingUntil)).toEqual([undefined, 0, 1_000, undefined])
  expect(removeWorkingTag(row('42.1.9', 1_000))).toBe(row('42.1.9', undefined))
})

test('assigns its pull request to the conversation of each of its labels, in any case', () => {
  const { body } = createMarkerComment('job_1', ['docs-agent', 'Docs, v2 -->'])
  const { labels } = toMarkerComment(body).marker
  const isNamed = ['Docs-Agent', 'docs, V2 -->', 'docs', ''].map((label) => hasLabel(label, labels))
  expect(isNamed).toEqual([true, true, false, false])
  expect(recognizeComment('docs-agent')).toEqual({ kind: 'other' })
})

test('keeps everything below its hidden lines, and reads back any label', () => {
  const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(fc.array(label, { maxLength: 3 }), fc.string({ unit: 'grapheme' }), (labels, text) => {
      const body = changeMarker(`${NEW}\r\n\n${text}`, { labels, followUps: 3, countedBy: ['1.1'] })
      expect(readMarker(body)).toEqual({ jobId: 'job_1', labels, followUps: 3, countedBy: ['1.1'] })
      expect(body.endsWith(`\`job_1\`.\r\n\n${text}`)).toBe(true)
    }),
    { seed: SEED },
  )
})

test('keeps the newest hundred signatures', () => {
  const countedBy = Array.from({ length: 101 }, (_, index) => String(index))
  expect(readMarker(changeMarker(NEW, { countedBy }))?.countedBy).toEqual(countedBy.slice(1))
})
