import { FAILED, PASSED } from '../../src/emulator/github/check-scenarios.ts'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { Checks, Trigger, Payload, Run } from './check.ts'
import { addFile, createRepositoryChangedSince, createForgedPull, triggerInOrder, push } from './scenarios.ts'

const BROKEN = {
  'mkdocs.yml': 'site_name: Acme',
  'docs/index.md': '# Acme\n\n- [Start](start.md)',
  'docs/start.md': '# Start\n\nFirst [set it up](setup.md).',
}

const MERGE = ['pr merge <service>/acme/docs/pull/4 --squash --match-head-commit <head>']
/** The calls with which a recipe finds the pull request of a release, and the job in the comments of a pull request. */
const FIND_PULL =
  'api --paginate repos/acme/docs/pulls?state=open&per_page=100 --jq .[] | select(any(.labels[]; .name == env.LABEL)) | .number'
const findJob = (number: number): string =>
  `api --paginate repos/acme/docs/issues/${number}/comments?per_page=100 --jq .[] | select(.user.login == "github-actions[bot]") | .body | capture("^<!-- docs-agent-action: (?<state>\\\\{.*\\\\}) -->").state | fromjson | .job | select(test("^[A-Za-z0-9_-]+$"))`
/** A release run that does not merge. */
const NOT_MERGED: Run = { eventName: 'release', isRed: true, open: [4], commands: [FIND_PULL, findJob(4)] }

const released = (tag_name: string): Payload => ({
  action: 'released',
  release: { id: 7, tag_name, name: tag_name, body: '' },
  repository: { full_name: 'acme/docs' },
})

/** A run whose merge GitHub refuses. */
const REFUSED: Run = { isRed: true, outputs: { checks: 'success' }, prompts: ['job_000001'], open: [4] }

/** Sets whether pull request 4 requires a review. */
const requireReview =
  (blocked: boolean): Trigger =>
  ({ repositories }) => {
    Object.assign(repositories['acme/docs']?.pulls[4] ?? {}, { blocked })
    return {}
  }

const pushToPull: Run['beforeMerge'] = ({ repositories: { 'acme/docs': docs } }) => {
  const { branch = '' } = docs?.pulls[4] ?? {}
  if (docs) pushCommit(docs, branch, { message: 'Wait', author: MAINTAINER, files: [] }, 0)
}

export const FIX_ROUND_CHECKS: Checks = {
  'docs/recipes/docs-checks.yml': {
    'a broken link fails the link checker and the build, and their logs show where it is': {
      history: [{ daysAgo: 0, files: BROKEN }],
      runs: [
        {
          isRed: true,
          jobs: ['build: failure', 'links: failure'],
          printed: ["'start.md' contains a link 'setup.md', but the target is not found", '[✖] setup.md → Status: 400'],
        },
      ],
    },
    'docs without a broken link pass': {
      history: [{ daysAgo: 0, files: { ...BROKEN, 'docs/setup.md': '# Set up' } }],
      runs: [{ jobs: ['build: success', 'links: success'] }],
    },
  },
  'docs/recipes/fix-checks.yml': {
    'failing checks are sent back at most twice, and the push after a red run adds all changes to the same pull request':
      {
        docs: createRepositoryChangedSince('fix-checks.yml', 'push'),
        plan: [FAILED, PASSED, FAILED, FAILED, FAILED, PASSED],
        runs: [
          {
            outputs: { checks: 'success' },
            prompts: ['new', 'job_000001'],
            promptTexts: ['docs/index.md:4: the page "setup.md" is not there', 'Process completed with exit code 1.'],
            labels: ['docs-agent-fix'],
          },
          { event: push('src/first.ts'), isRed: true, prompts: ['job_000001', 'job_000001', 'job_000001'] },
          {
            event: push('src/second.ts'),
            prompts: ['job_000001'],
            promptTexts: ['src/first.ts', 'src/second.ts'],
            open: [4],
          },
        ],
      },
  },
  'docs/checks-and-merging.md': {
    'a pull request whose checks pass is merged at the checked head': {
      runs: [{ outputs: { checks: 'success', 'in-scope': 'true' }, prompts: ['new'], open: [], commands: MERGE }],
    },
  },
  'docs/recipes/before-auto-merge.yml': {
    'a checked pull request within the allowed paths is merged at the checked head': {
      runs: [{ outputs: { checks: 'success', 'in-scope': 'true' }, prompts: ['new'], open: [], commands: MERGE }],
    },
    'red runs continue one pull request, whether checks fail or the merge is refused': {
      // The first run ends with the third push.
      plan: [FAILED, FAILED, FAILED, PASSED],
      runs: [
        { isRed: true, prompts: ['new', 'job_000001', 'job_000001'], labels: ['docs-agent-merge'], open: [4] },
        { ...REFUSED, event: requireReview(true), commands: MERGE },
        {
          ...REFUSED,
          event: requireReview(false),
          beforeMerge: pushToPull,
          commands: ['pr merge <service>/acme/docs/pull/4 --squash --match-head-commit <head before>'],
        },
        { prompts: ['job_000001'], commands: MERGE, open: [] },
      ],
    },
    'a draft is left open, and a change to an excluded page makes the run red: neither is merged': {
      scenarios: ['draft'],
      edits: (prompt) => [addFile(prompt.includes('still open') ? 'docs/legal/terms.md' : 'docs/index.md', 'New')],
      runs: [
        { prompts: ['new'], open: [4] },
        { event: push('src/second.ts'), isRed: true, prompts: ['job_000001'], open: [4] },
      ],
    },
  },
  'docs/recipes/rolling-until-release.yml': {
    'pushes add to the pull request of the next release, and only that release merges it': {
      vars: { DOCS_NEXT_RELEASE: 'v1.4.0' },
      docs: createRepositoryChangedSince('rolling-until-release.yml', 'push'),
      edits: () => [addFile('docs/index.md', 'New')],
      runs: [
        { isRed: true, vars: { DOCS_NEXT_RELEASE: '' }, printed: ['Set the variable DOCS_NEXT_RELEASE'] },
        { prompts: ['new'], promptTexts: ['part of v1.4.0', 'src/flags.ts'], labels: ['docs-agent-v1.4.0'], open: [4] },
        {
          event: push('src/second.ts'),
          prompts: ['job_000001'],
          promptTexts: ['src/second.ts'],
          summary: ['follow-up 1 of 100'],
          open: [4],
        },
        {
          ...NOT_MERGED,
          event: released('v1.3.9'),
          jobs: ['merge: failure'],
          commands: [FIND_PULL],
          printed: ['Expected one open pull request with the label docs-agent-v1.3.9, found: .'],
        },
        {
          eventName: 'release',
          event: released('v1.4.0'),
          jobs: ['merge: success'],
          outputs: { 'merge.checked.checks': 'success', 'merge.checked.in-scope': 'true' },
          commands: [FIND_PULL, findJob(4), ...MERGE],
          open: [],
        },
        { event: push('src/third.ts'), vars: { DOCS_NEXT_RELEASE: 'v1.5.0' }, prompts: ['new'], open: [5] },
      ],
    },
    'the release is red while checks fail, a file is out of scope, or GitHub refuses the merge': {
      vars: { DOCS_NEXT_RELEASE: 'v1.4.0' },
      docs: createRepositoryChangedSince('rolling-until-release.yml', 'push'),
      plan: [FAILED, PASSED],
      edits: (prompt) => [addFile(prompt.includes('src/third.ts') ? 'docs/legal/terms.md' : 'docs/index.md', 'New')],
      runs: [
        { prompts: ['new'], open: [4] },
        {
          ...NOT_MERGED,
          event: released('v1.4.0'),
          outputs: { 'merge.checked.checks': 'failure' },
          printed: ['pull request #4 is still open', 'checks failure, in scope true'],
        },
        { event: push('src/second.ts'), prompts: ['job_000001'], open: [4] },
        {
          ...NOT_MERGED,
          event: triggerInOrder(requireReview(true), () => released('v1.4.0')),
          outputs: { 'merge.checked.checks': 'success' },
          commands: [FIND_PULL, findJob(4), ...MERGE],
          printed: ['pull request #4 is still open'],
        },
        { event: triggerInOrder(requireReview(false), push('src/third.ts')), prompts: ['job_000001'], open: [4] },
        { ...NOT_MERGED, event: released('v1.4.0'), outputs: { 'merge.checked.in-scope': 'false' } },
      ],
    },
    'the release is red while its pull request is a draft': {
      vars: { DOCS_NEXT_RELEASE: 'v1.4.0' },
      docs: createRepositoryChangedSince('rolling-until-release.yml', 'push'),
      scenarios: ['draft'],
      edits: () => [addFile('docs/index.md', 'New')],
      runs: [
        { prompts: ['new'], open: [4] },
        {
          ...NOT_MERGED,
          event: released('v1.4.0'),
          outputs: { 'merge.checked.pr-state': 'draft', 'merge.checked.checks': 'success' },
          printed: ['pull request #4 is still open', 'state draft, checks success, in scope true'],
        },
      ],
    },
    'the release is red if several pull requests have its label, and merges none': {
      docs: createRepositoryChangedSince('rolling-until-release.yml', 'push', {
        pulls: { 9: createForgedPull('docs-agent-v1.4.0'), 10: createForgedPull('docs-agent-v1.4.0') },
      }),
      runs: [
        {
          ...NOT_MERGED,
          event: released('v1.4.0'),
          jobs: ['merge: failure'],
          commands: [FIND_PULL],
          printed: ['Expected one open pull request with the label docs-agent-v1.4.0, found: 10, 9.'],
          open: [9, 10],
        },
      ],
    },
    'a pull request with the label and a history comment that names the job of another one is not merged': {
      docs: createRepositoryChangedSince('rolling-until-release.yml', 'push', {
        pulls: { 9: createForgedPull('docs-agent-v1.4.0') },
      }),
      runs: [
        {
          ...NOT_MERGED,
          event: released('v1.4.0'),
          outputs: { 'merge.checked.pr-number': '1', 'merge.checked.checks': 'success' },
          commands: [FIND_PULL, findJob(9)],
          printed: ["pull request #9 is still open. The agent's job has the pull request <service>/acme/docs/pull/1"],
          open: [9],
        },
      ],
    },
  },
}
