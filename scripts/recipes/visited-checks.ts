import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import type { Checks } from './check.ts'
import { createChangedRepository, NO_KEY } from './scenarios.ts'

/** The embedded service has the same visits relative to each day. */
const WEEK =
  'Docs, last seven days: 396 visitors, 5.3% more than the week before. People: 206 (52%). AI agents: 192 (48.5%). Details: <service>/acme/docs/actions/runs/42'

const OLD = '# Old\n\nNobody has changed this page for a year.\n'

export const VISITED_CHECKS: Checks = {
  'docs/recipes/weekly-visitors.yml': {
    'the week’s numbers are posted as a comment on the issue, and to the chat': {
      hasChat: true,
      docs: createChangedRepository(['docs/guide.md'], {
        issues: { 8: createIssueState({ title: 'Visitors of the docs' }) },
      }),
      runs: [
        {
          vars: { DOCS_VISITORS_ISSUE: '8' },
          outputs: { 'visitors.visitors.complete': 'true' },
          github: ['issues/create-comment'],
          posted: [WEEK],
          chat: [WEEK],
        },
        { ...NO_KEY, vars: { DOCS_VISITORS_ISSUE: '8' }, github: [] },
      ],
    },
    'without a destination, the run is red': {
      runs: [{ isRed: true, printed: ['Set DOCS_VISITORS_ISSUE or CHAT_WEBHOOK_URL.'], github: [] }],
    },
  },
  'docs/recipes/improve-most-read-pages.yml': {
    'the prompt names the most-read pages, and no second prompt is sent until its pull request is merged': {
      runs: [
        {
          outputs: { 'improve.visitors.complete': 'true', 'improve.instruction.pages': '5' },
          prompts: ['new'],
          promptTexts: ['that are read most:\n- /'],
          labels: ['docs-agent-most-read'],
        },
        NO_KEY,
        { open: [4] },
      ],
    },
    'with `DAYS`, the prompt names only pages that are also old': {
      changes: { 'DAYS: 0': 'DAYS: 180' },
      history: [
        { daysAgo: 400, files: { 'docs/index.md': OLD, 'docs/reference/install.md': OLD, 'docs/nobody.md': OLD } },
        { daysAgo: 300, files: { 'docs/guides/configure/index.md': OLD, 'docs/concepts/install.md': OLD } },
        { daysAgo: 10, files: { 'docs/concepts/install.md': '# New\n' } },
      ],
      runs: [
        {
          outputs: { 'improve.instruction.pages': '3' },
          prompts: ['new'],
          promptTexts: ['- /\n', '- /reference/install\n', '- /guides/configure\n'],
        },
      ],
    },
    'unsafe paths are left out of the prompt, and no prompt is sent if no path is left': {
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--hostile' },
      runs: [{ outputs: { 'improve.visitors.rows': '30', 'improve.instruction.pages': '0' } }],
    },
  },
}
