import { commit } from '../../testing/github-state.ts'
import { MAINTAINER, OUTSIDER } from '../../src/emulator/github/demo-state.ts'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { comment, commentOnLines, review } from '../../src/emulator/github/trigger-events.ts'
import type { Check, Checks, Trigger, Run } from './check.ts'
import { at, createChangedRepository, NO_KEY, NOT_TRIGGERED } from './scenarios.ts'

/** Of a member of an organization whose membership is private, and of a person without access. */
const PRIVATE = { association: 'NONE' }

/** Writes a comment, by default on the agent's pull request. */
const commented = (fields: Partial<Parameters<typeof comment>[2]> = {}, number = 1): Trigger =>
  at((scene) => comment(scene, number, { user: MAINTAINER, body: '/docs Shorten the second paragraph.', ...fields }))

/** Submits a review of the agent's pull request with a comment on a line. */
const reviewed = (fields: Partial<Parameters<typeof review>[2]> = {}, number = 1): Trigger =>
  at((scene) =>
    review(scene, number, { user: MAINTAINER, body: '/docs Address my comments.', ...fields }, [
      { ...LINE, body: 'This title says too little.' },
    ]),
  )

const LINE = { path: 'docs/deploy.md', line: 1, diffHunk: '@@ -0,0 +1 @@\n+# Deploy' }

const commentedOnLine = at((scene) => commentOnLines(scene, 1, { user: MAINTAINER, body: '/docs Say how long.' }, LINE))

/** Writes the newest comment again, as if the reply was posted with a personal token. */
const replyIn =
  (number: number): Trigger =>
  (state) => {
    const { body = '' } = state.repositories['acme/docs']?.pulls[number]?.comments.at(-1) ?? {}
    if (!body.startsWith('<!-- docs-agent-action: reply')) throw new Error(`This is no reply: ${body}`)
    return commented({ body }, number)(state)
  }

/** A pull request of somebody's fork. */
const FROM_FORK = createPullState({ branch: 'guide', headSha: commit('b'), fork: 'dora/docs' })

/** The agent's pull request 1 is open, with a comment by a person with write access. */
const OPEN: Pick<Check, 'scenarios'> = { scenarios: ['comment-by-maintainer'] }
const REPLIED: Run = { outputs: { outcome: 'pull-request' }, prompts: ['job_finished'] }
const REFUSED: Run = { outputs: { outcome: 'skipped' }, github: ['repos/get-collaborator-permission-level'] }
const NEW_JOB: Run = { prompts: ['new'] }

export const COMMENT_CHECKS: Checks = {
  'docs/recipes/comments.yml': {
    'a comment by an author with write access, even a private member, gets a reply, which starts no runner': {
      ...OPEN,
      event: commented(PRIVATE),
      runs: [
        NO_KEY,
        REPLIED,
        { ...NOT_TRIGGERED, event: replyIn(1) },
        { ...NOT_TRIGGERED, vars: { DOCS_AGENT_PAUSED: 'true' } },
      ],
    },
    'a comment on an issue or on a person’s pull request starts a new job and gets a reply': {
      event: commented({}, 8),
      docs: createChangedRepository(['docs/guide.md'], {
        collaborators: { [MAINTAINER]: 'maintain' },
        issues: { 8: createIssueState({ title: 'Say what fails' }) },
        pulls: { 9: createPullState({ branch: 'guide', headSha: commit('b') }) },
      }),
      runs: [
        { ...NEW_JOB, promptTexts: ['Shorten the second paragraph.', 'Say what fails'] },
        {
          ...NEW_JOB,
          event: commented({}, 9),
          promptTexts: ['Shorten the second paragraph.', 'pull request #9'],
        },
        { ...NOT_TRIGGERED, event: replyIn(9) },
      ],
    },
    'a comment by an author without write access only triggers a permission look-up': {
      ...OPEN,
      event: commented({ user: OUTSIDER }),
      runs: [REFUSED, { ...REFUSED, event: commented({ user: OUTSIDER, association: 'CONTRIBUTOR' }) }],
    },
    'a comment without the command starts no runner': {
      ...OPEN,
      event: commented({ body: 'Looks good to me.' }),
      runs: [NOT_TRIGGERED],
    },
    'only a review by an author with write access, even a private member, gets a reply': {
      ...OPEN,
      eventName: 'pull_request_review',
      runs: [
        {
          ...REPLIED,
          eventName: 'pull_request_review_comment',
          event: commentedOnLine,
          promptTexts: ['Say how long.', 'docs/deploy.md'],
        },
        { ...REPLIED, event: reviewed(PRIVATE), promptTexts: ['Address my comments.', 'This title says too little.'] },
        { ...REFUSED, event: reviewed({ user: OUTSIDER }) },
      ],
    },
    'a review without the command, by the action itself, or of a pull request from a fork starts no runner': {
      eventName: 'pull_request_review',
      docs: createChangedRepository(['docs/guide.md'], {
        collaborators: { [MAINTAINER]: 'maintain' },
        pulls: { 1: createPullState({ branch: 'guide', headSha: commit('b') }), 9: FROM_FORK },
      }),
      runs: [
        { ...NOT_TRIGGERED, event: reviewed({ body: '' }) },
        { ...NOT_TRIGGERED, event: reviewed({ body: '<!-- docs-agent-action: reply --> as `/docs` asked' }) },
        { ...NOT_TRIGGERED, event: reviewed({}, 9) },
      ],
    },
  },
}
