import { createReleased, mergeChange } from '../../__tests__/support/play-report.ts'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import type { Checks, Trigger } from './check.ts'

const addIssue: Trigger = ({ repositories }) => {
  const { 'acme/docs': docs } = repositories
  if (docs !== undefined) docs.issues[8] = createIssueState({ title: 'What happened to the docs' })
  return {}
}

const DISPATCH = { eventName: 'workflow_dispatch', event: {} }
const PAUSED = { vars: { DOCS_AGENT_PAUSED: 'true' }, jobs: [], github: [] }

const POSTED = `**3 of 9 changes need attention** ([summary](<service>/acme/docs/actions/runs/43))

9 changes: 3 documented, 1 documented but not merged, 2 exempt by label, 1 documented but closed without a merge, 1 examined without a change and 1 examined by a turn that failed. Pull requests of the agent in the last 7 days: 2 opened, 1 merged, 1 closed, and 1 open, 1 of them for more than three days.

- \`#112\`: Read #111, and run the agent again.
- \`#110\`: Review and merge #111.
- \`#108\`: Reopen #109, or document it in another way.
- \`#111\` has been open for 4 days.`

export const REPORT_CHECKS: Checks = {
  'docs/recipes/report-before-release.yml': {
    'a change without a trace makes the run red': {
      ...DISPATCH,
      scenarios: ['agent-history'],
      runs: [{ isRed: true, summary: ['1 of 9 changes is not accounted for'] }, PAUSED],
    },
    'if every change is accounted for, the run is green': {
      ...DISPATCH,
      docs: mergeChange(createReleased(), 1, { labels: ['no-docs'] }),
      runs: [{ summary: ['The change is accounted for'] }],
    },
  },
  'docs/recipes/weekly-report.yml': {
    'the numbers and what is left to do are posted as a comment on the issue': {
      scenarios: ['agent-history', 'no-docs-label'],
      runs: [
        { event: {}, summary: ['3 of 9 changes need attention'], posted: [] },
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
