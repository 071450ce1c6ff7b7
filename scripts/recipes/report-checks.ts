import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import type { Checks, Trigger } from './check.ts'

const addIssue: Trigger = ({ repositories }) => {
  const { 'acme/docs': docs } = repositories
  if (docs !== undefined) docs.issues[8] = createIssueState({ title: 'The pull requests of the docs agent' })
  return {}
}

const PAUSED = { vars: { DOCS_AGENT_PAUSED: 'true' }, jobs: [], github: [] }

const POSTED = `**1 pull request needs attention** ([summary](<service>/acme/docs/actions/runs/43))

Pull requests of the agent in the last 7 days: 2 opened, 1 merged, 1 closed, and 1 open, 1 of them for more than three days.

- \`#104\` has been open for 4 days.`

export const REPORT_CHECKS: Checks = {
  'docs/recipes/weekly-report.yml': {
    'the numbers and what waits are posted as a comment on the issue': {
      scenarios: ['agent-history'],
      runs: [
        { event: {}, summary: ['1 pull request needs attention'], posted: [] },
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
