import { commit, madeCommit } from '../../testing/github-state.ts'
import { MAINTAINER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import { createPullState, type PullState } from '../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { release } from '../../src/emulator/github/trigger-events.ts'
import type { Checks, Run, Trigger } from './check.ts'
import {
  addFile,
  addLabel,
  at,
  close,
  createChangedRepository,
  merge,
  NOT_TRIGGERED,
  SKIPPED,
  triggerInOrder,
} from './scenarios.ts'

const released = (id: number, tag: string, name: string): Trigger =>
  at((scene) => release(scene, { action: 'released', id, tag, name, body: 'Twice as fast.', by: MAINTAINER }))

/** A condition that the recipe's comments suggest. */
const NEEDS_DOCS = "contains(github.event.pull_request.labels.*.name, 'needs-docs')"

const APPROVAL = {
  id: 90,
  user: REVIEWER,
  body: '',
  state: 'APPROVED',
  submittedAtMs: 0,
} as const

/** Creates a repository in which pull request 12 is open and approved. */
function withApproved(file: string, pull: Partial<PullState> = {}) {
  const docs = createChangedRepository([], { collaborators: { [MAINTAINER]: 'maintain', [REVIEWER]: 'write' } })
  const change = { message: 'Add --dry-run', author: MAINTAINER, files: [{ filename: file }] }
  const { sha: headSha } = pushCommit(docs, 'dry-run', change, 0, pull.fork)
  const about = { branch: 'dry-run', title: change.message, user: MAINTAINER }
  docs.pulls[12] = createPullState({ ...about, headSha, reviews: [{ ...APPROVAL, headSha }], ...pull })
  return docs
}

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

/** Recipes that document one change at a time. */
export const CHANGE_CHECKS: Checks = {
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
            'Bring the documentation up to date with these changes.',
            'Change only the pages that they make wrong or incomplete. If there are none, change nothing.',
            'M src/flags.ts (+1 -0)',
            '--- src/flags.ts',
            '+b',
          ),
          open: [4],
        },
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
        { ...SKIPPED, event: triggerInOrder(merge(5), released(9, 'v1.3.0', 'Notes')) },
      ],
    },
  },
  'docs/recipes/on-dispatch.yml': {
    'runs with one label add to one pull request, with a change of this repository, of another one, or with none': {
      docs: twoMerged(),
      code: createChangedRepository(['src/limits.ts'], { tags: { v1: commit('a'), v2: commit('b') } }),
      runs: [
        {
          inputs: { prompt: 'Document this pull request.', change: 'pull/12', label: 'docs-agent-dispatch' },
          prompts: ['new'],
          promptTexts: ['Document this pull request.', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-agent-dispatch'],
        },
        {
          inputs: { prompt: 'Update the limits.', change: 'acme/code@v1...v2', label: 'docs-agent-dispatch' },
          prompts: ['job_000001'],
          promptTexts: ['src/limits.ts'],
          summary: ['What changed in acme/code'],
        },
        {
          inputs: { prompt: 'Shorten the introduction.', change: '', label: 'docs-agent-dispatch' },
          prompts: ['job_000001'],
          open: [4],
        },
        {
          inputs: { prompt: 'Update the limits.', change: 'acme/code@v1...v2', label: 'docs-of-code' },
          prompts: ['new'],
          labels: ['docs-agent-dispatch', 'docs-of-code'],
          open: [4, 5],
        },
      ],
    },
    'a pull request that does not exist is an error, and no prompt is sent': {
      runs: [
        {
          isRed: true,
          inputs: { prompt: 'Document it.', change: 'pull/99', label: 'docs-agent-dispatch' },
          outputs: { outcome: 'error' },
        },
      ],
    },
  },
  'docs/recipes/try.yml': {
    'each run opens a pull request of its own for the change that it names, or only shows the prompt': {
      docs: twoMerged(),
      runs: [
        {
          inputs: { change: 'pull/12', 'dry-run': 'true' },
          outputs: { outcome: 'previewed' },
        },
        {
          inputs: { change: 'pull/12', 'dry-run': 'false' },
          prompts: ['new'],
          promptTexts: ['Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-agent-try'],
        },
        { inputs: { change: 'pull/12', 'dry-run': 'false' }, prompts: ['new'], open: [4, 5] },
      ],
    },
  },
  'docs/recipes/before-merge.yml': {
    'a label on an open pull request opens its docs pull request, and the label again adds commits to the same one': {
      event: addLabel(12, 'needs-docs'),
      docs: withApproved('src/flags.ts'),
      runs: [
        {
          prompts: ['new'],
          promptTexts: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-before-12', 'needs-docs'],
        },
        { prompts: ['job_000001'], open: [4, 12] },
      ],
    },
    'another label starts no runner': {
      event: addLabel(12, 'cli'),
      docs: withApproved('src/flags.ts'),
      runs: [NOT_TRIGGERED],
    },
    'a pull request from a fork starts no runner': {
      event: addLabel(12, 'needs-docs'),
      docs: withApproved('src/flags.ts', { fork: 'dora/docs' }),
      runs: [NOT_TRIGGERED],
    },
  },
  'docs/recipes/each-merged-pull-request.yml': {
    'each merged pull request gets one docs pull request, even after a re-run, but the agent’s own gets none': {
      event: close(12),
      docs: withApproved('src/flags.ts'),
      edits: () => [addFile('src/docs.ts', 'Its own')],
      runs: [
        {
          prompts: ['new'],
          promptTexts: ['Document what pull request #12 changes', 'Pull request #12: Add --dry-run', 'src/flags.ts'],
          labels: ['docs-for-12'],
          reviewers: [REVIEWER],
        },
        { prompts: ['job_000001'], open: [4] },
        { ...SKIPPED, event: close(4) },
      ],
    },
    'a merged pull request without a matching file starts no job': {
      event: close(12),
      docs: withApproved('src/flags.test.ts'),
      runs: [SKIPPED],
    },
    'a pull request that is closed without a merge starts no runner': {
      event: close(12, false),
      docs: withApproved('src/flags.ts'),
      runs: [NOT_TRIGGERED],
    },
    'a merged pull request from a fork starts no runner': {
      event: close(12),
      docs: withApproved('src/flags.ts', { fork: 'dora/docs' }),
      runs: [NOT_TRIGGERED],
    },
    'with a condition on its label, a pull request without the label starts no runner': {
      changes: { 'github.event.pull_request.merged &&': `github.event.pull_request.merged && ${NEEDS_DOCS} &&` },
      event: close(12),
      docs: withApproved('src/flags.ts', { labels: ['cli'] }),
      runs: [NOT_TRIGGERED],
    },
    'with a condition on its label, a pull request with the label is documented': {
      changes: { 'github.event.pull_request.merged &&': `github.event.pull_request.merged && ${NEEDS_DOCS} &&` },
      event: close(12),
      docs: withApproved('src/flags.ts', { labels: ['cli', 'needs-docs'] }),
      runs: [{ prompts: ['new'] }],
    },
  },
}
