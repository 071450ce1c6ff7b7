import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isSkip } from '../../../src/agent/skip.ts'
import { conclude } from '../../../src/agent/conclude.ts'
import type { Run } from '../../../src/agent/record.ts'
import { parseComment, renderReply, renderReplyMarker } from '../../../src/agent/features/command.ts'
import { namesInputs } from '../../../src/agent/inputs.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { COMMENT, commentFacts, EVENT_NAMES } from '../../../testing/comment-events.ts'
import { archived, failed, LINK, withoutLink } from '../../../testing/jobs.ts'
import {
  accept,
  ATTACH,
  createReport,
  endWith,
  ENDS_WITH_ERROR,
  FOLLOW_UP,
  stopWith,
  turnIn,
} from '../../../testing/report.ts'
import { SEED } from '../../../testing/seed.ts'

const FACTS = { ...commentFacts(), inputsHash: '0123', command: '/docs' }
const reply = (report: Run): string =>
  renderReply(report, conclude({ ...report, failOn: new Set(['failed']) }), COMMENT, FACTS, namesInputs)

test('a reply names the outcome, the pull request, the checks and the run', () => {
  const text = reply(
    createReport({
      task: ATTACH,
      waitForChecks: true,
      pullRequest: { state: 'open', mergeable: true, checks: 'success' },
    }),
  )
  expect(text).toBe(`<!-- docs-agent-action: reply run=42 step=docs/agent inputs=0123 comment=71 -->
**The pull request is ready.** The agent's changes are in it. All its checks have passed.

[Pull request #7](${LINK}) · [run](https://git.example.com/acme/docs/actions/runs/42)

To ask for another change, begin a comment on the pull request with \`/docs\`.`)
})

test('a reply links to the new commits of the step and its fix rounds', () => {
  const headSha = 'b'.repeat(40)
  const text = reply(
    createReport({
      task: FOLLOW_UP,
      state: endWith('updated'),
      rounds: [turnIn(endWith('updated'))],
      pullRequest: { state: 'merged', headSha },
    }),
  )
  const compared = `https://git.example.com/acme/docs/compare/${'a'.repeat(40)}...${headSha}`
  expect(text).toContain(`\n[6 new commits](${compared}) · [pull request #7](${LINK}) · [run](`)
  expect(text).not.toContain('To ask for')
})

test.each(['Merge it. Or increase `max-follow-ups`.', 'Run the recipe with `job-id: job_1`.'])(
  'a reply leaves advice that names inputs to the page of the run: %s',
  (hint) => {
    const text = reply(createReport({ state: stopWith(new ActionError('not-sent', 'It was not sent.', { hint })) }))
    expect(text).toContain('It was not sent.\n\nThe page of the run says what to do.\n\n')
  },
)

test('a reply shows the message of GitHub about a failed request as code', () => {
  const message = 'GitHub says “see #1 by @mona, https://example.com _x_ GH-2” (422).'
  const text = reply(createReport({ state: stopWith(new ActionError('not-sent', message, { hint: message })) }))
  const plain = text.replace(/<code>[^<]*<\/code>/g, '')
  expect(plain.match(/GitHub says “see {2}by {4}” \(422\)\./g)).toHaveLength(2)
})

test('a reply contains the hint, or why nothing was sent', () => {
  const error = new ActionError('not-sent', 'It was not sent.', { hint: 'Ask elsewhere.' })
  expect(reply(createReport({ state: stopWith(error) }))).toContain('It was not sent.\n\nAsk elsewhere.')
  const skipped = reply(createReport({ state: {}, skipReason: 'It is closed.' }))
  expect(skipped).toContain('Nothing was sent to the agent. It is closed.')
})

test('renders a different marker for each comment, run, job, step and matrix job', () => {
  const places = [{ runId: 43 }, { workflowJob: 'links' }, { runnerStepId: '__acme_docs_2' }, { inputsHash: '4567' }]
  const others = [COMMENT, { ...COMMENT, kind: 'review' as const }, { ...COMMENT, id: 72 }]
  const markers = [
    ...others.map((comment) => renderReplyMarker(comment, FACTS)),
    ...places.map((place) => renderReplyMarker(COMMENT, { ...FACTS, ...place })),
  ]
  expect(new Set(markers).size).toBe(7)
})

const STATES = [
  ...ENDS_WITH_ERROR,
  endWith('created'),
  endWith('none', withoutLink),
  endWith('unknown', failed),
  endWith('unknown', archived),
  {},
  {},
  accept(),
  { end: 'previewed' },
] as const
const texts = fc.oneof(fc.string(), fc.constantFrom('/docs do it', '@mona', '\n/docs do it', 'a@b.c @acme/team'))
const reports = fc
  .record({ during: fc.constantFrom(...STATES), skip: fc.option(texts), message: fc.option(texts), hint: texts })
  .map(({ during, skip, message, hint }) => {
    const state = message === null ? during : stopWith(new ActionError('not-sent', message, { hint }), during)
    return createReport({ state, skipReason: skip ?? undefined })
  })

test('a reply that triggers an event contains no command, and mentions no user', () => {
  fc.assert(
    fc.property(reports, fc.constantFrom(...EVENT_NAMES), (report, eventName) => {
      const body = reply(report)
      expect(isSkip(parseComment(commentFacts({ eventName, body }), '/docs'))).toBe(true)
      expect(body).not.toMatch(/@(?!\u200b)/)
    }),
    { seed: SEED },
  )
})
