import { FAILED, PASSED } from '../../src/emulator/github/check-scenarios.ts'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-events.ts'
import type { Checks, Happening, Run } from './check.ts'
import { added, changedSince, pushed } from './courses.ts'

const BROKEN = {
  'mkdocs.yml': 'site_name: Acme',
  'docs/index.md': '# Acme\n\n- [Start](start.md)',
  'docs/start.md': '# Start\n\nFirst [set it up](setup.md).',
}

const MERGE = ['pr merge 4 --repo acme/docs --squash --match-head-commit <head>']
/** A night whose merge GitHub refuses. */
const REFUSED: Run = { isRed: true, outputs: { checks: 'success' }, prompts: ['job_000001'], open: [4] }

/** Whether pull request 4 may be merged only after a review. */
const requireReview =
  (blocked: boolean): Happening =>
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
    'a link that leads nowhere fails the link checker and the build, whose logs say where it is': {
      history: [{ daysAgo: 0, files: BROKEN }],
      runs: [
        {
          isRed: true,
          jobs: ['build: failure', 'links: failure'],
          printed: ["'start.md' contains a link 'setup.md', but the target is not found", '[✖] setup.md → Status: 400'],
        },
      ],
    },
    'docs without such a link pass': {
      history: [{ daysAgo: 0, files: { ...BROKEN, 'docs/setup.md': '# Set up' } }],
      runs: [{ jobs: ['build: success', 'links: success'] }],
    },
  },
  'docs/recipes/fix-checks.yml': {
    'failing checks go back, twice at most, and after a red run a push adds to the same pull request and tells all': {
      docs: changedSince('fix-checks.yml', 'push'),
      plan: [FAILED, PASSED, FAILED, FAILED, FAILED, PASSED],
      runs: [
        {
          outputs: { checks: 'success', 'fix-rounds': '1' },
          prompts: ['new', 'job_000001'],
          told: ['docs/index.md:4: the page "setup.md" is not there', 'Process completed with exit code 1.'],
          labels: ['docs-agent-fix'],
        },
        { event: pushed('src/first.ts'), isRed: true, prompts: ['job_000001', 'job_000001', 'job_000001'] },
        { event: pushed('src/second.ts'), prompts: ['job_000001'], told: ['src/first.ts', 'src/second.ts'], open: [4] },
      ],
    },
  },
  'README.md': {
    'a pull request whose checks pass is merged, by the head that was checked': {
      runs: [{ outputs: { checks: 'success', 'in-scope': 'true' }, prompts: ['new'], open: [], commands: MERGE }],
    },
  },
  'docs/recipes/before-auto-merge.yml': {
    'what was checked and keeps to the paths is merged, by the head that was checked': {
      runs: [{ outputs: { checks: 'success', 'in-scope': 'true' }, prompts: ['new'], open: [], commands: MERGE }],
    },
    'red nights go on with one pull request: checks fail, GitHub refuses the merge, somebody commits right before it': {
      // Its third push is the last one of the first night.
      plan: [FAILED, FAILED, FAILED, PASSED],
      runs: [
        { isRed: true, prompts: ['new', 'job_000001', 'job_000001'], labels: ['docs-agent-merge'], open: [4] },
        { ...REFUSED, event: requireReview(true), commands: MERGE },
        {
          ...REFUSED,
          event: requireReview(false),
          beforeMerge: pushToPull,
          commands: ['pr merge 4 --repo acme/docs --squash --match-head-commit <head before>'],
        },
        { outputs: { continued: 'pull-request' }, prompts: ['job_000001'], commands: MERGE, open: [] },
      ],
    },
    'a draft is left open, and a page that is excepted makes the run red: neither is merged': {
      scenarios: ['draft'],
      edits: (prompt) => [added(prompt.includes('still open') ? 'docs/legal/terms.md' : 'docs/index.md', 'New')],
      runs: [
        { prompts: ['new'], open: [4] },
        { event: pushed('src/second.ts'), isRed: true, prompts: ['job_000001'], open: [4] },
      ],
    },
  },
}
