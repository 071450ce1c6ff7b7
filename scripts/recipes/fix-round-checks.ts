import { commit } from '../../testing/github-state.ts'
import { FAILED, PASSED } from '../../src/emulator/github/check-scenarios.ts'
import { MAINTAINER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import type { Review } from '../../src/emulator/github/pull-state.ts'
import { pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { release, review } from '../../src/emulator/github/trigger-events.ts'
import type { Checks, Run, Trigger } from './check.ts'
import { addFile, at, createRepositoryChangedSince, triggerInOrder, push } from './scenarios.ts'

const PULL = '<service>/acme/docs/pull/4'
const UPDATE = `pr update-branch ${PULL}`
const READ_REVIEWS = `pr view ${PULL} --json reviews --jq [.reviews[] | select(.state != "COMMENTED") | {(.author.login): .state}] | add // {} | to_entries[] | select(.value == "CHANGES_REQUESTED") | .key`
const MERGE = `pr merge ${PULL} --squash --match-head-commit <head>`
const WITHOUT_APP = { DOCS_APP_CLIENT_ID: '' }

/** Submits a review of pull request 4. */
const reviewAs = (state: Review['state']): Trigger =>
  at((scene) => review(scene, 4, { user: REVIEWER, body: '', state }))

const pushToPull: Run['beforeMerge'] = ({ repositories: { 'acme/docs': docs } }) => {
  const { branch = '' } = docs?.pulls[4] ?? {}
  if (docs) pushCommit(docs, branch, { message: 'Wait', author: MAINTAINER, files: [] }, 0)
}

const createDocs = () => createRepositoryChangedSince('before-auto-merge.yml', 'schedule')

/** Recipes whose failing checks go back to the agent, and that merge. */
export const FIX_ROUND_CHECKS: Checks = {
  'docs/recipes/before-auto-merge.yml': {
    'red runs continue one pull request, which is not merged while changes are requested, and is updated if it is behind':
      {
        docs: { ...createDocs(), requiresUpToDate: true },
        // The first run ends with the second push, whose checks fail in the same way.
        plan: [FAILED, FAILED, PASSED],
        runs: [
          {
            isRed: true,
            prompts: ['new', 'job_000001'],
            promptTexts: ['docs/index.md:4: the page "setup.md" is not there', 'Process completed with exit code 1.'],
            open: [4],
          },
          {
            event: triggerInOrder(reviewAs('CHANGES_REQUESTED'), reviewAs('COMMENTED'), push('src/second.ts')),
            prompts: ['job_000001'],
            printed: [`Not merged, because changes were requested by: ${REVIEWER}`],
            commands: [UPDATE, READ_REVIEWS],
            open: [4],
          },
          {
            event: triggerInOrder(reviewAs('APPROVED'), push('src/third.ts')),
            beforeMerge: pushToPull,
            isRed: true,
            prompts: ['job_000001'],
            commands: [UPDATE, READ_REVIEWS, MERGE.replace('<head>', '<head before>')],
            open: [4],
          },
          { prompts: ['job_000001'], commands: [UPDATE, READ_REVIEWS, MERGE], open: [] },
        ],
      },
    'without an app, a checked pull request within the allowed paths is merged at the checked head': {
      vars: WITHOUT_APP,
      docs: createDocs(),
      runs: [
        {
          outputs: { checks: 'success', 'in-scope': 'true' },
          prompts: ['new'],
          promptTexts: ['with these changes', 'src/flags.ts'],
          labels: ['docs-agent-merge'],
          open: [],
          commands: [READ_REVIEWS, MERGE],
        },
      ],
    },
    'a draft is left open, and a change to an excluded page makes the run red: neither is merged': {
      scenarios: ['draft'],
      docs: createDocs(),
      edits: (prompt) => [addFile(prompt.includes('still open') ? 'docs/legal/terms.md' : 'docs/index.md', 'New')],
      runs: [
        { prompts: ['new'], open: [4] },
        { event: push('src/second.ts'), isRed: true, prompts: ['job_000001'], open: [4] },
      ],
    },
    'with the trigger and the labels of a release, the docs of that release are merged': {
      changes: {
        "schedule:\n    - cron: '17 5 * * *' # CHANGE: the time, in UTC": 'release: { types: [released] }',
        'label: docs-agent-merge': 'label: docs-agent-${{ github.event.release.tag_name }}',
      },
      vars: WITHOUT_APP,
      docs: { ...createDocs(), tags: { 'v1.3.0': commit('e'), 'v1.4.0': commit('b') } },
      event: at((scene) => release(scene, { action: 'released', id: 7, tag: 'v1.4.0', by: MAINTAINER })),
      runs: [
        {
          prompts: ['new'],
          promptTexts: ['src/flags.ts'],
          labels: ['docs-agent-v1.4.0'],
          commands: [READ_REVIEWS, MERGE],
          open: [],
        },
      ],
    },
  },
}
