import { createRequire } from 'node:module'
import { commit } from '../../testing/github-state.ts'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import type { Check, Checks, Trigger, Payload, Run } from './check.ts'
import { createChangedRepository, NO_KEY, NOT_TRIGGERED } from './scenarios.ts'

type Parts = Readonly<Record<string, object>>

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly (Parts & { readonly action: string })[]
}[]

const MONA = { login: 'mona', id: 11, type: 'User' }
const DORA = { login: 'dora', id: 12, type: 'User' }
const AT = '2026-01-01T00:00:00Z'

/** Creates a payload from an example of GitHub, with other values for some fields. */
function real(name: string, action: string, parts: Parts): Payload {
  const found = EXAMPLES.find((event) => event.name === name)?.examples.find((example) => example.action === action)
  if (found === undefined) throw new Error(`There is no example of ${name}, ${action}.`)
  const all: Parts = { repository: { full_name: 'acme/docs' }, sender: MONA, ...parts }
  const changed = Object.entries(all).map(([part, fields]) => [part, { ...found[part], ...fields }])
  return { ...found, ...(Object.fromEntries(changed) as Payload) }
}

const SUBJECT = { number: 1, title: 'Describe deploying', body: null, state: 'open' }

/** Creates the payload of a comment, by default on the agent's pull request. */
function comment(fields: object = {}, issue: object = { pull_request: { merged_at: null } }): Payload {
  const usual = { id: 1012, user: MONA, body: '/docs Shorten the second paragraph.', author_association: 'CONTRIBUTOR' }
  return real('issue_comment', 'created', {
    issue: { ...SUBJECT, ...issue },
    comment: { ...usual, performed_via_github_app: null, created_at: AT, ...fields },
  })
}

const reviewed = (from = 'acme/docs'): object => ({
  ...SUBJECT,
  base: { sha: commit('a') },
  head: { sha: commit('b'), repo: { full_name: from } },
})

function review(fields: object, from?: string): Payload {
  const usual = { id: 70, user: MONA, author_association: 'MEMBER', submitted_at: AT, state: 'commented' }
  return real('pull_request_review', 'submitted', { pull_request: reviewed(from), review: { ...usual, ...fields } })
}

/** Triggers the event of the newest comment, as if it was posted with a personal token. */
const replyIn =
  (number: number): Trigger =>
  ({ repositories }) => {
    const { id, body = '' } = repositories['acme/docs']?.pulls[number]?.comments.at(-1) ?? {}
    if (!body.startsWith('<!-- docs-agent-action: reply')) throw new Error(`This is no reply: ${body}`)
    return comment({ id, body })
  }

const commentedAtLine: Trigger = ({ repositories }) => {
  const place = { path: 'docs/deploy.md', line: 1, diffHunk: '@@ -0,0 +1 @@\n+# Deploy', reviewId: 70 }
  const fields = { id: 73, user: 'mona', body: 'This title says too little.', createdAtMs: 0, reactions: [] }
  repositories['acme/docs']?.pulls[1]?.reviewComments.push({ ...fields, ...place })
  return review({ body: '/docs Address my comments.', author_association: 'NONE' })
}

/** The agent's pull request 1 is open, with a comment by a person with write access. */
const OPEN: Pick<Check, 'scenarios'> = { scenarios: ['comment-by-maintainer'] }
const REPLIED: Run = { outputs: { outcome: 'pull-request' }, prompts: ['job_finished'] }
const REFUSED: Run = { outputs: { outcome: 'skipped' }, github: ['repos/get-collaborator-permission-level'] }
const NEW_JOB: Run = { prompts: ['new'] }

export const COMMENT_CHECKS: Checks = {
  'docs/recipes/comments.yml': {
    'a comment by an author with write access, even a private member, gets a reply, which starts no runner': {
      ...OPEN,
      event: comment({ author_association: 'NONE' }),
      runs: [
        NO_KEY,
        REPLIED,
        { ...NOT_TRIGGERED, event: replyIn(1) },
        { ...NOT_TRIGGERED, vars: { DOCS_AGENT_PAUSED: 'true' } },
      ],
    },
    'a comment on an issue or on a person’s pull request starts a new job and gets a reply': {
      event: comment({}, { number: 8, title: 'Say what fails' }),
      docs: createChangedRepository(['docs/guide.md'], {
        collaborators: { mona: 'maintain' },
        issues: { 8: createIssueState({ title: 'Say what fails' }) },
        pulls: { 9: createPullState({ branch: 'guide', headSha: commit('b') }) },
      }),
      runs: [
        { ...NEW_JOB, promptTexts: ['Shorten the second paragraph.', 'Say what fails'] },
        {
          ...NEW_JOB,
          event: comment({}, { number: 9, pull_request: { merged_at: null } }),
          promptTexts: ['Shorten the second paragraph.', 'pull request #9'],
        },
        { ...NOT_TRIGGERED, event: replyIn(9) },
      ],
    },
    'a comment by an author without write access only triggers a permission look-up': {
      ...OPEN,
      event: comment({ user: DORA }),
      runs: [REFUSED, { ...REFUSED, event: comment({ user: DORA, author_association: 'NONE' }) }],
    },
    'a comment without the command starts no runner': {
      event: comment({ body: 'Looks good to me.' }),
      runs: [NOT_TRIGGERED],
    },
    'only a review by an author with write access, even a private member, gets a reply': {
      ...OPEN,
      eventName: 'pull_request_review',
      runs: [
        {
          ...REPLIED,
          eventName: 'pull_request_review_comment',
          event: real('pull_request_review_comment', 'created', {
            pull_request: reviewed(),
            comment: { id: 72, user: MONA, body: '/docs Say how long.', path: 'docs/deploy.md', created_at: AT },
          }),
          promptTexts: ['Say how long.', 'docs/deploy.md'],
        },
        { ...REPLIED, event: commentedAtLine, promptTexts: ['Address my comments.', 'This title says too little.'] },
        { ...REFUSED, event: review({ body: '/docs Address my comments.', user: DORA }) },
      ],
    },
    'a review without the command, by the action itself, or of a pull request from a fork starts no runner': {
      eventName: 'pull_request_review',
      runs: [
        { ...NOT_TRIGGERED, event: review({ body: null }) },
        { ...NOT_TRIGGERED, event: review({ body: '<!-- docs-agent-action: reply --> as `/docs` asked' }) },
        { ...NOT_TRIGGERED, event: review({ body: '/docs Address my comments.' }, 'dora/docs') },
      ],
    },
  },
}
