import { expect, test } from '@jest/globals'

import { pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { type JobRecord, planTurn } from '../../src/emulator/service/job-machine.ts'
import { pullRequestResponse as respond } from '../../src/emulator/pull-request-page.ts'
import { USUAL_TURN } from '../../src/emulator/service/scenarios.ts'
import { checkRun } from '../support/github-state.ts'

const docs = repositoryState()
const pullRequestResponse = (of: JobRecord | undefined, nowMs: number) => respond(of, docs, nowMs)

function job(prompt: string, followUp?: string): JobRecord {
  const more = followUp === undefined ? [] : [planTurn(followUp, USUAL_TURN, 60_000)]
  return {
    id: 'job_1',
    projectId: 'docs',
    createdAtMs: 0,
    pullNumber: 7,
    turns: [planTurn(prompt, USUAL_TURN, 0), ...more],
  }
}

test('there is no page before the agent has pushed', () => {
  expect(pullRequestResponse(undefined, 20_000).status).toBe(404)
  expect(pullRequestResponse(job('x'), 19_999).status).toBe(404)
  expect(pullRequestResponse(job('x'), 20_000).status).toBe(200)
})

test('the page shows number, state, instruction, files and diff', () => {
  const { body } = pullRequestResponse(job('Document the flag.'), 20_000)
  for (const text of [
    '#7',
    'Open',
    'Document the flag.',
    'docs/flag.md',
    'docs/index.md',
    '<ins>+# Document the flag.',
  ]) {
    expect(body).toContain(text)
  }
})

test('a follow-up is on the page once it is pushed, folded so that the conversation stays in sight', () => {
  const both = job('First one.', 'Second one.')
  expect(pullRequestResponse(both, 79_999).body).not.toContain('Second one.')
  expect(pullRequestResponse(both, 80_000).body).toContain('<details>\n<summary>Follow-up 1')
  expect(pullRequestResponse(both, 80_000).body).toContain('Second one.')
})

test('a prompt cannot become a part of the page', () => {
  const prompt = `</pre><script>alert(1)</script><img src="x" onerror='y'>&copy;`
  const { body } = pullRequestResponse(job(prompt), 20_000)
  expect(body).not.toMatch(/<script|<img|&copy;/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(body).toContain('&amp;copy;')
})

test('a very long prompt is cut', () => {
  const { body } = pullRequestResponse(job(`Title\n${'x'.repeat(1_000_000)}`), 20_000)
  expect(body.length).toBeLessThan(20_000)
  expect(body).toContain('[…]')
})

test('the page shows what GitHub has: state, labels, comments, and the checks of the newest commit by now', () => {
  const headSha = 'a'.repeat(40)
  const comment = { id: 1, user: 'mona', body: '<!-- marker -->\nShorten <it>.', createdAtMs: 0, reactions: [] }
  const repository = repositoryState({
    pulls: {
      7: pullState({ branch: 'agent/job_1', headSha, labels: ['docs-agent'], comments: [comment], draft: true }),
    },
    checkRuns: [
      checkRun({
        name: 'build',
        headSha,
        startedAtMs: 10_000,
        completedAtMs: 20_000,
        conclusion: 'failure',
        title: 'Gone',
      }),
      checkRun({ name: 'old', headSha: 'b'.repeat(40) }),
      checkRun({ name: 'late', headSha, createdAtMs: 40_000 }),
    ],
    statuses: [{ headSha, context: 'preview', state: 'success', createdAtMs: 0 }],
  })
  const pageAt = (nowMs: number): string => respond(job('x'), repository, nowMs).body
  expect(pageAt(20_000)).toContain('<span class="state draft">Draft</span>')
  expect(pageAt(20_000)).toContain('<span class="label">docs-agent</span>')
  expect(pageAt(20_000)).toMatch(/mona <small>commented .*[^]*<div><p>Shorten &lt;it&gt;\.<\/p><\/div>/)
  expect(pageAt(20_000)).toContain('<li class="failed">build <small>github-actions, failed</small><pre>Gone</pre>')
  expect(pageAt(20_000)).toContain('<li class="passed">preview')
  expect(pageAt(20_000)).not.toMatch(/<li class="\w+">(old|late)/)
  expect(pageAt(40_000)).toContain('<li class="passed">late')
})
