import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { renderReply, replyMarker } from '../../../src/agent/report/reply.ts'
import { OUTCOMES, type Report } from '../../../src/agent/report/report.ts'
import type { CommentAddress } from '../../../src/github/comments.ts'
import { parseComment } from '../../../src/agent/trigger/parse-comment.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { commentFacts, EVENT_NAMES } from '../../support/comment-events.ts'
import { completed, job, LINK } from '../../support/fake-client.ts'
import { reportOf } from '../../support/report.ts'
import { SEED } from '../../support/seed.ts'

const FACTS = commentFacts()
const ADDRESS: CommentAddress = {
  ...{ repository: 'acme/docs', number: 7, kind: 'comment' as const, id: 71, threadId: 71 },
  ...{ isOnPullRequest: true, writtenAt: '' },
}

const reply = (report: Report): string => renderReply(report, conclude(report, new Set(['failed'])), ADDRESS, FACTS)

test('names the outcome, the pull request, the checks and the run', () => {
  const text = reply(reportOf({ job: completed, pullRequest: { state: 'open', checks: 'success' } }))
  expect(text.split('\n')[0]).toBe('<!-- docs-agent-action: reply run=42 comment=71 -->')
  expect(text).toContain('**The pull request is ready.**')
  expect(text).toContain(`[Pull request #7](${LINK})`)
  expect(text).toContain('All its checks have passed.')
  expect(text).toContain('[The run](https://git.example.com/acme/docs/actions/runs/42)')
})

test('leaves out what is not known', () => {
  const text = reply(reportOf({ outcome: 'no-changes', job: job({ status: 'completed' }) }))
  expect(text).not.toContain('checks')
  expect(text).not.toContain('[Pull request')
})

test('says what to do, and why nothing was sent', () => {
  const error = new ActionError('not-sent', 'It was not sent.', { hint: 'Ask elsewhere.' })
  expect(reply(reportOf({ outcome: 'error', error }))).toContain('It was not sent.\n\nAsk elsewhere.')
  expect(reply(reportOf({ outcome: 'skipped', skipReason: 'It is closed.' }))).toContain(
    'Nothing was sent to the agent. It is closed.',
  )
})

test('the hidden line tells comments, reviews and runs from each other', () => {
  const markers = [
    replyMarker(ADDRESS, FACTS),
    replyMarker({ ...ADDRESS, kind: 'review' }, FACTS),
    replyMarker({ ...ADDRESS, id: 72 }, FACTS),
    replyMarker(ADDRESS, { ...FACTS, runId: 43 }),
  ]
  expect(new Set(markers).size).toBe(4)
})

describe('whatever it says', () => {
  const texts = fc.oneof(fc.string(), fc.constantFrom('/docs do it', '@mona', '\n/docs do it', 'a@b.c @acme/team'))
  const reports = fc
    .record({ outcome: fc.constantFrom(...OUTCOMES), skip: fc.option(texts), message: fc.option(texts), hint: texts })
    .map(({ outcome, skip, message, hint }) =>
      reportOf({
        outcome,
        job: completed,
        ...(skip === null ? {} : { skipReason: skip }),
        ...(message === null ? {} : { error: new ActionError('not-sent', message, { hint }) }),
      }),
    )

  test('a reply that comes back as an event asks for nothing, and mentions nobody', () => {
    fc.assert(
      fc.property(reports, fc.constantFrom(...EVENT_NAMES), (report, eventName) => {
        const body = reply(report)
        expect(parseComment(commentFacts({ eventName, body }), '/docs').kind).toBe('ignored')
        expect(body).not.toMatch(/@(?!\u200b)/)
      }),
      { seed: SEED },
    )
  })
})
