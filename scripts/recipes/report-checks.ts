import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import type { Checks, Trigger } from './check.ts'

const addIssue: Trigger = ({ repositories }) => {
  const { 'acme/docs': docs } = repositories
  if (docs !== undefined) docs.issues[8] = createIssueState({ title: 'The pull requests of the docs agent' })
  return {}
}

const PAUSED = { vars: { DOCS_AGENT_PAUSED: 'true' }, jobs: [], github: [] }

const POSTED = `In 30 days the agent opened 24 pull requests: 15 merged without edits, 4 merged after edits, 3 closed, 2 open. Half of the merges took at most 9 hours. [By prompt and week](<service>/acme/docs/actions/runs/43)

- <service>/acme/docs/pull/123: open for 4 days and the agent did not finish. To do: remind those who were asked for a review; check what is missing. @lisa
- <service>/acme/docs/pull/124: conflicts with its base branch. To do: resolve the conflict, or ask the agent to. @lisa`

export const REPORT_CHECKS: Checks = {
  'docs/recipes/weekly-report.yml': {
    'the numbers and what needs attention are posted as a comment on the issue, which reminds the reviewers': {
      scenarios: ['agent-history'],
      runs: [
        { event: {}, summary: ['24 opened, 19 merged, 2 need attention', '7b502c3a'], posted: [] },
        {
          event: addIssue,
          vars: { DOCS_REPORT_ISSUE: '8' },
          posted: [POSTED],
          commands: `api repos/acme/docs/issues/8/comments -f body=${POSTED} --silent`.split('\n'),
        },
        PAUSED,
      ],
    },
  },
}
