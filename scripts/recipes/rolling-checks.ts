import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { Checks } from './check.ts'
import {
  addFile,
  createChangedRepository,
  createRepositoryChangedSince,
  createForgedPull,
  triggerInOrder,
  merge,
  NO_KEY,
  push,
  redThenGreen,
  SKIPPED,
} from './scenarios.ts'

const PAGE = '<service>/acme/docs'
const NOTIFIED = [
  `Docs agent: pull-request ${PAGE}/pull/4 Details: ${PAGE}/actions/runs/42`,
  `Docs agent: error Details: ${PAGE}/actions/runs/44`,
] as const

/** Adds pull request 12, which changes code and needs no docs. */
function withExempt(docs: RepositoryState): RepositoryState {
  const change = { message: 'Rename a function', author: MAINTAINER, files: [{ filename: 'src/flags.ts' }] }
  const { sha: headSha } = pushCommit(docs, 'rename', change, 0)
  docs.pulls[12] = createPullState({ branch: 'rename', headSha, title: change.message, labels: ['no-docs'] })
  return docs
}

/** Recipes that keep one pull request open for all changes. */
export const ROLLING_CHECKS: Checks = {
  'docs/recipes/rolling-on-schedule.yml': {
    'the prompt after a red run contains the earlier changes, and goes to the same pull request until it is merged': {
      docs: createRepositoryChangedSince('rolling-on-schedule.yml', 'schedule'),
      runs: [
        { prompts: ['new'], promptTexts: ['src/flags.ts'], open: [4] },
        ...redThenGreen(['src/second.ts', 'openapi/third.yml'], {
          prompts: ['job_000001'],
          summary: ['Adding to pull request <code>&#35;4</code>'],
          open: [4],
        }),
        { ...SKIPPED, event: push('README.md') },
        {
          event: triggerInOrder(merge(4), push('src/fourth.ts')),
          prompts: ['new'],
          promptTexts: ['src/fourth.ts'],
          open: [5],
        },
      ],
    },
    'a pull request with a forged history comment is not continued, and a new job begins': {
      docs: createRepositoryChangedSince('rolling-on-schedule.yml', 'schedule', {
        pulls: { 9: createForgedPull('docs-agent-rolling') },
      }),
      runs: [
        {
          prompts: ['new'],
          summary: ['it has the label, but job job_finished has another pull request'],
        },
      ],
    },
  },
  'docs/recipes/rolling-on-push.yml': {
    'each push goes to the open pull request, even after a red run, and a change labelled no-docs is skipped': {
      // The service has pull request 1, of `job_finished`, from the start.
      scenarios: ['open-pull-request'],
      docs: withExempt(
        createRepositoryChangedSince('rolling-on-push.yml', 'push', {
          collaborators: { mona: 'maintain', ann: 'write' },
        }),
      ),
      runs: [
        { prompts: ['job_finished'], summary: ['Adding to pull request <code>&#35;1</code>'] },
        ...redThenGreen(['src/second.ts', 'src/third.ts'], {
          prompts: ['job_finished'],
          open: [1, 12],
          reviewers: ['mona'],
        }),
        { ...SKIPPED, event: push('README.md') },
        { event: merge(12), summary: ['Skipped, nothing to do', 'a label from `skip-labels`: #12.'], open: [1] },
      ],
    },
  },
  'docs/recipes/notify.yml': {
    'a changed pull request and a red run are posted on the issue and to the chat, but an unchanged week is not': {
      docs: createRepositoryChangedSince('notify.yml', 'schedule', {
        issues: { 8: createIssueState({ title: 'What the docs agent does' }) },
      }),
      vars: { DOCS_NOTIFY_ISSUE: '8' },
      hasChat: true,
      runs: [
        { prompts: ['new'], labels: ['docs-agent-notify'], posted: [NOTIFIED[0]], chat: [NOTIFIED[0]] },
        { ...SKIPPED, posted: [NOTIFIED[0]] },
        { ...NO_KEY, event: push('src/second.ts'), posted: NOTIFIED, chat: [NOTIFIED[1]] },
      ],
    },
    'a changed pull request is posted to the chat only': {
      docs: createRepositoryChangedSince('notify.yml', 'schedule'),
      hasChat: true,
      runs: [{ prompts: ['new'], posted: [], chat: [NOTIFIED[0]] }],
    },
    'without a destination, the run is red': {
      docs: createRepositoryChangedSince('notify.yml', 'schedule'),
      runs: [{ isRed: true, prompts: ['new'], printed: ['Set DOCS_NOTIFY_ISSUE or CHAT_WEBHOOK_URL.'] }],
    },
  },
  'docs/recipes/rolling-skip.yml': {
    'a job starts, even after a red run, and no prompt is sent while its pull request is open': {
      runs: [
        NO_KEY,
        { prompts: ['new'], labels: ['docs-agent-review'] },
        { outputs: { outcome: 'skipped' }, open: [4] },
      ],
    },
  },
  'docs/recipes/rolling-two-repositories.yml': {
    'each push to the code goes to the open pull request in the docs repository, even after a red run': {
      from: 'acme/code',
      code: createChangedRepository(['src/flags.ts']),
      runs: [
        { prompts: ['new'], labels: ['docs-of-code'] },
        ...redThenGreen(['src/second.ts', 'src/third.ts'], { prompts: ['job_000001'], open: [4] }, 'acme/code'),
      ],
    },
  },
  'docs/recipes/translations.yml': {
    'a merge into the English docs updates each language, in a pull request with its own label': {
      docs: createChangedRepository(['docs/en/start.md']),
      edits: (prompt) => [addFile(`docs/${/translation in docs\/(\w+)/.exec(prompt)?.[1] ?? 'en'}/start.md`, 'Hallo')],
      runs: [
        { prompts: ['new', 'new', 'new'], labels: ['docs-agent-de', 'docs-agent-fr', 'docs-agent-ja'] },
        ...redThenGreen(['docs/en/second.md', 'docs/en/third.md'], {
          prompts: ['job_000001', 'job_000002', 'job_000003'],
          open: [4, 5, 6],
        }),
      ],
    },
  },
  'docs/recipes/style-and-links.yml': {
    'the prompt contains changes, broken links and the changes of a red run, but not the agent’s own merge': {
      history: [
        { daysAgo: 0, files: { 'docs/index.md': '[a](gone.md) [b](start.md)\n', 'docs/start.md': '# Start\n' } },
      ],
      docs: createChangedRepository(['docs/index.md']),
      edits: (prompt) => [
        addFile(prompt.includes('docs/second.md') ? 'mkdocs.yml' : 'docs/index.md', 'site_name: Acme'),
      ],
      runs: [
        {
          prompts: ['new'],
          promptTexts: ['if any follow here:\ndocs/index.md:  [✖] gone.md → Status: 400\n', '-a\n+b'],
          labels: ['docs-agent-style'],
        },
        { ...SKIPPED, event: merge(4) },
        { event: push('docs/second.md'), isRed: true, outputs: { 'in-scope': 'false' }, prompts: ['new'], open: [5] },
        {
          event: push('docs/third.md'),
          isRed: true,
          prompts: ['job_000002'],
          promptTexts: ['docs/second.md', 'docs/third.md'],
          open: [5],
        },
      ],
    },
  },
}
