import { createRequire } from 'node:module'
import { NO_KEY } from './courses.mjs'

/** @typedef {{ name: string, examples: Record<string, any>[] }} Examples */

const EXAMPLES = /** @type {Examples[]} */ (createRequire(import.meta.url)('@octokit/webhooks-examples'))

/**
 * A payload as GitHub sends it.
 * @param {string} name
 * @param {string} action
 */
function real(name, action) {
  const found = EXAMPLES.find((event) => event.name === name)?.examples.find((example) => example['action'] === action)
  if (found === undefined) throw new Error(`There is no example of ${name}, ${action}.`)
  return found
}

const COMMENTED = real('issue_comment', 'created')
const REVIEWED = real('pull_request_review', 'submitted')

const MONA = { login: 'mona', id: 11, type: 'User' }
const DORA = { login: 'dora', id: 12, type: 'User' }
const REPOSITORY = { full_name: 'acme/docs' }
const AT = '2026-01-01T00:00:00Z'

/** The agent's pull request that is open, with a comment by somebody who may write. */
const OPEN = {
  permissions: /** @type {const} */ ({ contents: 'read', 'pull-requests': 'write', issues: 'write' }),
  scenarios: /** @type {const} */ (['comment-of-maintainer']),
}
const ID = 1012

/** @param {object} [said] what is not as usual in the comment */
function comment(said = {}) {
  const body = '/docs Shorten the second paragraph.'
  const issue = { number: 1, title: 'Describe deploying', body: null, state: 'open', pull_request: { merged_at: null } }
  const written = { id: ID, user: MONA, body, author_association: 'CONTRIBUTOR', created_at: AT, ...said }
  return {
    ...COMMENTED,
    issue: { ...COMMENTED['issue'], ...issue },
    comment: { ...COMMENTED['comment'], performed_via_github_app: null, ...written },
    repository: { ...COMMENTED['repository'], ...REPOSITORY },
    sender: { ...COMMENTED['sender'], ...MONA },
  }
}

/** The newest comment, as if a person's token had written it. */
function lastIn(/** @type {import('../../src/emulator/github/pull-state.ts').PullState | undefined} */ pull) {
  const { id, body } = pull?.comments.at(-1) ?? {}
  if (!body?.startsWith('<!-- docs-agent-action: reply')) throw new Error(`This is no answer: ${body}`)
  return { id, body }
}

/** @param {object} said */
function review(said) {
  return {
    ...REVIEWED,
    pull_request: {
      ...REVIEWED['pull_request'],
      ...{ number: 1, title: 'Describe deploying', body: null, state: 'open' },
      base: { sha: 'a'.repeat(40) },
      head: { sha: 'b'.repeat(40), repo: REPOSITORY },
    },
    review: {
      ...REVIEWED['review'],
      ...{ id: 70, user: MONA, author_association: 'MEMBER', submitted_at: AT, state: 'commented', ...said },
    },
    repository: { ...REVIEWED['repository'], ...REPOSITORY },
    sender: { ...REVIEWED['sender'], ...MONA },
  }
}

const ASKED = {
  conclusion: /** @type {const} */ ('success'),
  outputs: { 'ask.docs.outcome': 'pull-request', 'ask.docs.continued': 'comment' },
  prompts: ['POST job/job_finished/message'],
}
/** Somebody who may not write. */
const REFUSED = {
  conclusion: /** @type {const} */ ('success'),
  outputs: { 'ask.docs.outcome': 'skipped' },
  prompts: [],
  github: ['repos/get-collaborator-permission-level'],
}
/** Not even a runner starts. */
const UNHEARD = { conclusion: /** @type {const} */ ('success'), jobs: [], prompts: [], github: [] }

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const COMMENT_CHECKS = {
  'docs/recipes/comments.yml': [
    {
      name: 'whoever may write is heard and answered, also as a private member, and the answer itself starts no runner',
      eventName: 'issue_comment',
      event: comment({ author_association: 'NONE' }),
      github: OPEN,
      ...NO_KEY,
      then: [
        { expected: ASKED },
        { event: ({ repositories }) => comment(lastIn(repositories['acme/docs']?.pulls[1])), expected: UNHEARD },
      ],
    },
    {
      name: 'a comment by somebody who may not write asks GitHub who it is, and nothing else',
      eventName: 'issue_comment',
      event: comment({ user: DORA }),
      github: OPEN,
      expected: REFUSED,
      then: [{ event: comment({ user: DORA, author_association: 'NONE' }), expected: REFUSED }],
    },
    {
      name: 'a comment that asks for nothing starts no runner',
      eventName: 'issue_comment',
      event: comment({ body: 'Looks good to me. /docs' }),
      github: OPEN,
      expected: UNHEARD,
    },
  ],
  'docs/recipes/reviews.yml': [
    {
      name: 'whoever may write is heard in a review and answered, also as a private member, and nobody else',
      eventName: 'pull_request_review',
      event: review({ body: '/docs Take up my comments.', author_association: 'NONE' }),
      github: OPEN,
      ...NO_KEY,
      then: [
        { expected: ASKED },
        { event: review({ body: '/docs Take up my comments.', user: DORA }), expected: REFUSED },
      ],
    },
    {
      name: 'a review without the command starts no runner',
      eventName: 'pull_request_review',
      event: review({ body: null }),
      github: OPEN,
      expected: UNHEARD,
    },
  ],
}
