import { issueState } from '../../src/emulator/github/issue-state.ts'
import type { Checks } from './check.ts'
import { changed, NO_KEY } from './courses.ts'

const OLD = '# Old\n\nNobody has changed this page for a year.\n'

export const VISITED_CHECKS: Checks = {
  'docs/recipes/weekly-visitors.yml': {
    'the numbers of the week are posted as a comment on the issue': {
      docs: changed(['docs/guide.md'], { issues: { 8: issueState({ title: 'Visitors of the docs' }) } }),
      runs: [
        {
          vars: { DOCS_VISITORS_ISSUE: '8' },
          outputs: { 'visitors.visitors.complete': 'true' },
          github: ['issues/create-comment'],
        },
        { ...NO_KEY, vars: { DOCS_VISITORS_ISSUE: '8' }, github: [] },
      ],
    },
    'without a place to post to the run is red': {
      runs: [{ isRed: true, printed: ['Set DOCS_VISITORS_ISSUE or CHAT_WEBHOOK_URL.'], github: [] }],
    },
  },
  'docs/recipes/refresh-old-pages.yml': {
    'pages that are read and old get into the instruction, those of last week only once': {
      history: [
        { daysAgo: 400, files: { 'docs/index.md': OLD, 'docs/reference/install.md': OLD, 'docs/nobody.md': OLD } },
        { daysAgo: 300, files: { 'docs/guides/configure/index.md': OLD, 'docs/concepts/install.md': OLD } },
        { daysAgo: 10, files: { 'docs/concepts/install.md': '# New\n' } },
      ],
      runs: [
        {
          outputs: { 'refresh.old.pages': '3' },
          prompts: ['new'],
          told: ['- docs/index.md\n', '- docs/reference/install.md\n', '- docs/guides/configure/index.md\n'],
          labels: ['docs-agent-refresh'],
        },
        NO_KEY,
        { open: [4] },
      ],
    },
    'where no page is old nothing is asked': {
      history: [{ daysAgo: 10, files: { 'docs/index.md': '# New\n' } }],
      runs: [{ outputs: { 'refresh.old.pages': '0' } }],
    },
  },
  'docs/recipes/improve-most-read-pages.yml': {
    'the pages that were read most get into the instruction, and the agent is asked once until that is merged': {
      runs: [
        {
          outputs: { 'improve.visitors.complete': 'true', 'improve.instruction.pages': '5' },
          prompts: ['new'],
          told: ['read most in the last 30 days:\n- /'],
          labels: ['docs-agent-most-read'],
        },
        NO_KEY,
        { open: [4] },
      ],
    },
    'paths that are more than paths get into no instruction, and without any the agent is not asked': {
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--hostile' },
      runs: [{ outputs: { 'improve.visitors.rows': '30', 'improve.instruction.pages': '0' } }],
    },
  },
}
