import { commit, madeCommit } from '../../__tests__/support/github-state.ts'
import { MAINTAINER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import type { Checks, Trigger, Payload, Run } from './check.ts'
import {
  addFile,
  createChangedRepository,
  createRepositoryChangedSince,
  merge,
  NO_KEY,
  push,
  redThenGreen,
  SKIPPED,
  NOT_TRIGGERED,
} from './scenarios.ts'

const released = (id: number, tag_name: string, name: string): Payload => ({
  action: 'released',
  release: { id, tag_name, name, body: 'Twice as fast.' },
})

/** A release that contains only the merge of the agent's own pull request. */
const releasedAfterMerge: Trigger = (github) => {
  const { after } = merge(5)(github)
  Object.assign(github.repositories['acme/docs']?.tags ?? {}, { 'v1.3.0': after })
  return released(9, 'v1.3.0', 'Notes')
}

const dispatched = (range?: string): Payload => ({ action: 'code-changed', client_payload: { range } })

function closed(isMerged: boolean, number = 12, branch = 'dry-run', sha = commit('b'), from = 'acme/docs'): Payload {
  return {
    action: 'closed',
    number,
    pull_request: {
      number,
      title: 'Add --dry-run',
      merged: isMerged,
      user: { login: 'mona', type: 'User' },
      base: { ref: 'main', sha: commit('a') },
      head: { ref: branch, sha, repo: { full_name: from } },
    },
    repository: { full_name: 'acme/docs' },
  }
}

/** Creates the payload of a closed pull request with a title and labels. */
function closedAs(title: string, labels: readonly string[], isMerged = true): Payload {
  const payload = closed(isMerged)
  const about = { title, labels: labels.map((name) => ({ name })) }
  return { ...payload, pull_request: { ...(payload['pull_request'] as object), ...about } }
}

const ownMerged: Trigger = (github) => {
  const { branch, headSha } = github.repositories['acme/docs']?.pulls[4] ?? {}
  merge(4)(github)
  return closed(true, 4, branch, headSha)
}

const APPROVAL = {
  id: 90,
  user: REVIEWER,
  body: '',
  state: 'APPROVED',
  headSha: commit('b'),
  submittedAtMs: 0,
} as const

/** Creates a repository in which pull request 12 is closed and approved. */
const withClosed = (file: string) =>
  createChangedRepository([file], {
    collaborators: { [MAINTAINER]: 'maintain', [REVIEWER]: 'write' },
    pulls: { 12: createPullState({ branch: 'dry-run', headSha: commit('b'), state: 'closed', reviews: [APPROVAL] }) },
  })

/** Creates a repository in which pull requests 12 and 13 were merged in this order. */
function twoMerged() {
  const second = madeCommit({ sha: commit('d'), parents: [commit('b')], files: [{ filename: 'src/second.ts' }] })
  const about = { state: 'closed', user: 'mona' } as const
  const docs = createChangedRepository(['src/flags.ts'], {
    pulls: {
      12: createPullState({ ...about, ...mergedAs('b', 'a'), branch: 'dry-run', title: 'Add --dry-run' }),
      13: createPullState({ ...about, ...mergedAs('d', 'b'), branch: 'second', title: 'Add --second' }),
    },
  })
  docs.commits.push(second)
  docs.branches['main'] = second.sha
  return docs
}

const mergedAs = (head: string, base: string) => ({
  headSha: commit(head),
  closedBaseSha: commit(base),
  merge: { sha: commit(head), atMs: 0 },
})

/** Expects lines in the log of a dry run and in the prompt. */
const shownAndSent = (...lines: readonly string[]): Pick<Run, 'printed' | 'promptTexts'> => ({
  promptTexts: lines.map((line) => `${line}\n`),
  printed: lines.map((line) => `  | ${line}\n`),
})

/** Recipes that open a new pull request for each change, or for the changes of each week. */
export const CHANGE_CHECKS: Checks = {
  'docs/recipes/on-push.yml': {
    'the prompt contains the pushed docs change, and the change of an earlier red run': {
      event: { ref: 'refs/heads/docs/guide', before: commit('a'), after: commit('b') },
      docs: createChangedRepository(['docs/guide.md'], { branches: { main: commit('a'), 'docs/guide': commit('b') } }),
      runs: [
        { prompts: ['new'], promptTexts: ['Change no other pages.', '--- docs/guide.md'], labels: ['docs-agent'] },
        ...redThenGreen(
          ['docs/second.md', 'docs/third.md'],
          { prompts: ['new'], open: [4, 5] },
          'acme/docs',
          'docs/guide',
        ),
      ],
    },
    'a push that touches only other files sends no prompt, and no pull request opens if the agent changes nothing': {
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--no-changes' },
      docs: createChangedRepository(['src/a.ts', 'docs/generated/api.md']),
      runs: [SKIPPED, { event: push('docs/guide.md'), prompts: ['docs--no-changes new'], open: [] }],
    },
  },
  'docs/recipes/on-schedule.yml': {
    'the prompt contains all changes since the last successful run, including those of red runs, but not the agent’s own':
      {
        docs: createRepositoryChangedSince('on-schedule.yml', 'schedule'),
        edits: () => [addFile('src/docs.ts', 'Its own')],
        runs: [
          { prompts: ['new'], summary: ['Added to the prompt'], promptTexts: ['src/flags.ts'] },
          ...redThenGreen(['src/second.ts', 'openapi/third.yml'], { prompts: ['new'], open: [4, 5] }),
          { ...SKIPPED, event: push('README.md') },
          { ...SKIPPED, event: merge(4) },
        ],
      },
  },
  'docs/recipes/approve-first.yml': {
    'the first job shows the prompt without a key, and the second job sends exactly this prompt': {
      docs: createChangedRepository(['src/flags.ts', 'docs/guide.md']),
      runs: [
        {
          secrets: 'withheld',
          isRed: true,
          jobs: ['show: success', 'send: failure'],
          outputs: { 'show.docs.outcome': 'previewed', 'send.docs.outcome': 'error' },
        },
        {
          jobs: ['show: success', 'send: success'],
          outputs: { 'show.docs.outcome': 'previewed', 'send.docs.outcome': 'pull-request' },
          prompts: ['new'],
          ...shownAndSent(
            'Bring the documentation up to date with these changes. Change only the pages that they make wrong or incomplete.',
            'M src/flags.ts (+1 -0)',
            '--- src/flags.ts',
            '+b',
          ),
          open: [4],
        },
        {
          event: push('src/second.ts'),
          prompts: ['new'],
          ...shownAndSent('M src/second.ts (+1 -0)', '--- src/second.ts'),
          open: [4, 5],
        },
        { ...SKIPPED, event: push('README.md'), jobs: ['show: success'] },
        { ...SKIPPED, event: merge(4), jobs: ['show: success'] },
      ],
    },
  },
  'docs/recipes/release-notes.yml': {
    'a re-run of a red run continues the pull request of its release, and another release gets its own pull request': {
      event: released(7, 'v1.1.0', 'Faster'),
      docs: createChangedRepository(['src/flags.ts'], {
        tags: { 'v1.0.0': commit('a'), 'v1.1.0': commit('b'), 'v1.2.0': commit('b') },
      }),
      edits: (prompt) => [addFile(prompt.includes('Release v1.1.0') ? 'src/notes.md' : 'docs/notes.md', 'New')],
      runs: [
        {
          isRed: true,
          outputs: { 'in-scope': 'false' },
          prompts: ['new'],
          promptTexts: [
            'Document what is new in this release',
            'Release v1.1.0: Faster',
            'Twice as fast.',
            'src/flags.ts',
          ],
        },
        { isRed: true, prompts: ['job_000001'], open: [4] },
        {
          event: released(8, 'v1.2.0', 'Smaller'),
          prompts: ['new'],
          promptTexts: ['Release v1.2.0: Smaller'],
          labels: ['docs-for-release-7', 'docs-for-release-8'],
        },
        { ...SKIPPED, event: releasedAfterMerge },
      ],
    },
  },
  'docs/recipes/on-dispatch.yml': {
    'the prompt contains the range that another repository sent, even in a re-run of a red run': {
      event: dispatched('acme/code@v1...v2'),
      code: createChangedRepository(['src/flags.ts'], { tags: { v1: commit('a'), v2: commit('b') } }),
      runs: [NO_KEY, { prompts: ['new'], promptTexts: ['src/flags.ts'], summary: ['What changed in acme/code'] }],
    },
    'an event without a range is an error, and no request is sent': {
      event: dispatched(),
      runs: [{ isRed: true, outputs: { outcome: 'error' }, github: [] }],
    },
  },
  'docs/recipes/catch-up.yml': {
    'the changes of all given pull requests go into one pull request, even if one of them is the agent’s own': {
      docs: twoMerged(),
      runs: [
        { ...NO_KEY, inputs: { 'pull-request': '12' } },
        {
          inputs: { 'pull-request': '12' },
          prompts: ['new'],
          promptTexts: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          open: [4],
        },
        { inputs: { 'pull-request': '13' }, prompts: ['job_000001'], promptTexts: ['src/second.ts'], open: [4] },
        { inputs: { 'pull-request': '4' }, prompts: ['job_000001'], open: [4] },
        { isRed: true, inputs: { 'pull-request': '99' }, outputs: { outcome: 'error' }, open: [4] },
      ],
    },
  },
  'docs/recipes/two-repositories.yml': {
    'each change of the code opens one pull request in the docs repository, even if its checks fail': {
      scenarios: ['checks-fail'],
      from: 'acme/code',
      code: createChangedRepository(['src/flags.ts']),
      runs: [
        { outputs: { checks: 'failure' }, prompts: ['new'] },
        ...redThenGreen(['src/second.ts', 'src/third.ts'], { prompts: ['new'], open: [4, 5] }, 'acme/code'),
        { ...SKIPPED, event: push('src/flags.test.ts', 'acme/code') },
      ],
    },
  },
  'docs/recipes/long-job-with-app.yml': {
    'one workflow job starts the agent, and the other waits for it with its own token': {
      from: 'acme/code',
      code: createChangedRepository(['src/flags.ts']),
      runs: [
        {
          jobs: ['start: success', 'finish: success'],
          outputs: {
            'start.docs.outcome': 'submitted',
            'finish.docs.outcome': 'pull-request',
            'finish.docs.checks': 'success',
          },
          prompts: ['new'],
          promptTexts: ['src/flags.ts'],
          labels: ['docs-agent'],
        },
        {
          jobs: ['start: success'],
          outputs: { 'start.docs.outcome': 'skipped' },
          event: push('README.md', 'acme/code'),
        },
      ],
    },
  },
  'docs/recipes/each-merged-pull-request.yml': {
    'each merged pull request gets one docs pull request, even after a re-run, but the agent’s own gets none': {
      event: closed(true),
      docs: withClosed('src/flags.ts'),
      edits: () => [addFile('src/docs.ts', 'Its own')],
      runs: [
        NO_KEY,
        {
          prompts: ['new'],
          promptTexts: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-for-12'],
          reviewers: [REVIEWER],
        },
        { prompts: ['job_000001'], open: [4] },
        { ...SKIPPED, event: ownMerged },
      ],
    },
    'a merged pull request without a matching file starts no job': {
      event: closed(true),
      docs: withClosed('src/flags.test.ts'),
      runs: [SKIPPED],
    },
    'a pull request that is closed without a merge or comes from a fork starts no runner': {
      event: closed(false),
      runs: [NOT_TRIGGERED, { ...NOT_TRIGGERED, event: closed(true, 12, 'dry-run', commit('b'), 'dora/docs') }],
    },
  },
  'docs/recipes/opt-in.yml': {
    'a merged pull request gets docs if its label or its title requests them': {
      docs: withClosed('src/flags.ts'),
      runs: [
        {
          event: closedAs('Add --dry-run', ['cli', 'needs-docs']),
          prompts: ['new'],
          promptTexts: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-of-12'],
        },
        ...['feat: Add --dry-run', 'feat(cli): Add --dry-run', 'feat!: Add --dry-run'].map((title): Run => ({
          event: closedAs(title, []),
          prompts: ['job_000001'],
          open: [4],
        })),
      ],
    },
    'a pull request that requests no docs or is closed without a merge starts no runner': {
      runs: [
        { ...NOT_TRIGGERED, event: closedAs('Feature flags', ['cli']) },
        { ...NOT_TRIGGERED, event: closedAs('feat: Add --dry-run', ['needs-docs'], false) },
      ],
    },
  },
}
