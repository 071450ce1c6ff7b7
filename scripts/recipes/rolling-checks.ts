import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { Checks } from './check.ts'
import {
  addFile,
  createChangedRepository,
  createRepositoryChangedSince,
  triggerInOrder,
  merge,
  NOT_TRIGGERED,
  push,
  redThenGreen,
  SKIPPED,
} from './scenarios.ts'

/** Adds pull request 12, which changes code and needs no docs. */
function withExempt(docs: RepositoryState): RepositoryState {
  const change = { message: 'Rename a function', author: MAINTAINER, files: [{ filename: 'src/flags.ts' }] }
  const { sha: headSha } = pushCommit(docs, 'rename', change, 0)
  docs.pulls[12] = createPullState({ branch: 'rename', headSha, title: change.message, labels: ['no-docs'] })
  return docs
}

/** Recipes that keep one pull request open for all changes. */
export const ROLLING_CHECKS: Checks = {
  'docs/recipes/on-push.yml': {
    'each push goes to the open pull request, and the run after a red run or a pause covers what it missed': {
      docs: createRepositoryChangedSince('on-push.yml', 'push'),
      runs: [
        { prompts: ['new'], promptTexts: ['src/flags.ts'], labels: ['docs-agent'] },
        { ...NOT_TRIGGERED, event: push('src/second.ts'), vars: { DOCS_AGENT_PAUSED: 'true' } },
        ...redThenGreen(['src/third.ts', 'src/fourth.ts'], {
          prompts: ['job_000001'],
          promptTexts: ['src/second.ts', 'src/third.ts', 'src/fourth.ts'],
          summary: ['Adding to pull request <code>&#35;4</code>'],
          open: [4],
        }),
        { ...SKIPPED, event: push('README.md') },
        {
          event: triggerInOrder(merge(4), push('src/fifth.ts')),
          prompts: ['new'],
          promptTexts: ['src/fifth.ts'],
          open: [5],
        },
      ],
    },
    'with `skip-labels`, a change labelled no-docs is skipped': {
      changes: { 'on-open-pr: follow-up': 'on-open-pr: follow-up\n          skip-labels: no-docs' },
      docs: withExempt(createRepositoryChangedSince('on-push.yml', 'push')),
      runs: [
        { prompts: ['new'] },
        { event: merge(12), summary: ['Skipped, nothing to do', 'a label from `skip-labels`: #12.'] },
      ],
    },
  },
  'docs/recipes/on-schedule.yml': {
    'the prompt contains all changes since the last successful run, and goes to the open pull request': {
      docs: createRepositoryChangedSince('on-schedule.yml', 'schedule'),
      runs: [
        { prompts: ['new'], promptTexts: ['src/flags.ts'], labels: ['docs-agent'] },
        ...redThenGreen(['src/second.ts', 'src/third.ts'], { prompts: ['job_000001'], open: [4] }),
        { ...SKIPPED, event: merge(4) },
      ],
    },
  },
  'docs/recipes/many-to-one.yml': {
    'each code repository has its own pull request in the docs repository, even after a red run': {
      from: 'acme/code',
      code: createChangedRepository(['src/flags.ts']),
      others: { 'acme/api': createChangedRepository(['src/flags.ts']) },
      runs: [
        { event: push('src/first.ts', 'acme/code'), prompts: ['new'], promptTexts: ['The code of code was changed'] },
        { from: 'acme/api', event: push('src/other.ts', 'acme/api'), prompts: ['new'], open: [4, 5] },
        ...redThenGreen(
          ['src/second.ts', 'src/third.ts'],
          { prompts: ['job_000001'], labels: ['docs-of-code', 'docs-of-api'], open: [4, 5] },
          'acme/code',
        ),
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
  'docs/recipes/monorepo.yml': {
    'each package gets its own changes in its own pull request, and a package without a change sends no prompt': {
      docs: createRepositoryChangedSince('monorepo.yml', 'schedule'),
      edits: (prompt) => [addFile(`packages/${/packages\/(\w+)\/docs/.exec(prompt)?.[1] ?? ''}/docs/start.md`, 'New')],
      runs: [
        {
          event: triggerInOrder(push('packages/api/src/a.ts'), push('packages/cli/src/b.ts')),
          outputs: {
            'docs(api).docs.outcome': 'pull-request',
            'docs(cli).docs.outcome': 'pull-request',
            'docs(sdk).docs.outcome': 'skipped',
          },
          prompts: ['new', 'new'],
          promptTexts: ['packages/api/src/a.ts', 'packages/cli/src/b.ts'],
          labels: ['docs-agent-api', 'docs-agent-cli'],
        },
        { event: push('packages/api/docs/start.md'), ...SKIPPED },
        ...redThenGreen(['packages/cli/src/c.ts', 'packages/sdk/src/d.ts'], {
          prompts: ['new', 'job_*'],
          labels: ['docs-agent-api', 'docs-agent-cli', 'docs-agent-sdk'],
          open: [4, 5, 6],
        }),
      ],
    },
    'after a red package, a re-run of its job sends only its prompt, and without one the next night repeats the change':
      {
        docs: createRepositoryChangedSince('monorepo.yml', 'schedule'),
        edits: (prompt) => [
          addFile(prompt.includes('packages/api/docs') ? 'packages/api/docs/a.md' : 'other.md', 'New'),
        ],
        runs: [
          {
            event: triggerInOrder(push('packages/api/src/a.ts'), push('packages/cli/src/b.ts')),
            isRed: true,
            outputs: { 'docs(api).docs.outcome': 'pull-request', 'docs(cli).docs.in-scope': 'false' },
            prompts: ['new', 'new'],
          },
          { attempt: 2, matrix: ['package:cli'], isRed: true, prompts: ['job_*'] },
          { isRed: true, prompts: ['job_*', 'job_*'], open: [4, 5] },
        ],
      },
  },
}
