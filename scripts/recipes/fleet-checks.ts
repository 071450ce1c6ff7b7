import { CHECK_SCENARIOS } from '../../src/emulator/github/check-scenarios.ts'
import type { Checks, RepositoryName, Run } from './check.ts'
import {
  addFile,
  createChangedRepository,
  createRepositoryChangedSince,
  push,
  redThenGreen,
  SKIPPED,
} from './scenarios.ts'

const ENDINGS = ['', '--failed', '--no-changes', '--archived', '--hostile']
const FLEET = ENDINGS.map((ending, index) => `docs-${index + 1}${ending}`)

const isRed = (project: string): boolean => /--(failed|archived)$/.test(project)
const RED = FLEET.filter(isRed).length
const GREEN = FLEET.length - RED

/** Creates a manual run for projects whose docs are in one repository. */
const createFleetRun = (...projects: string[]) => ({
  eventName: 'workflow_dispatch',
  inputs: { prompt: 'Mention the new address of the status page.' },
  vars: {
    DOCS_AGENT_PROJECTS: JSON.stringify(
      projects.map((project) => ({ project, 'pr-repository': 'acme/docs', label: project })),
    ),
  },
})
const PROJECTS = { 'docs-a': 'acme/docs', 'docs-b': 'acme/api', 'docs-c': 'acme/sdk' } as const
const matrix = Object.entries(PROJECTS).map(([project, repository]) => ({ project, 'pr-repository': repository }))
const TRANSLATED = 'Fix spelling and grammar on all pages in German.'

const ended = (green: number, red: number) => ({ 'report.table.green': String(green), 'report.table.red': String(red) })

/** Creates the nightly run of a repository. @param file the file that changed since its last successful run, if any */
function nightlyRun(project: keyof typeof PROJECTS, file: string | undefined, run: Run): Run {
  const from: RepositoryName = PROJECTS[project]
  const event = file === undefined ? {} : { event: push(file, from) }
  return { from, vars: { DOCS_AGENT_PROJECT_ID: project }, ...event, ...run }
}

export const FLEET_CHECKS: Checks = {
  'docs/recipes/organisation-caller.yml': {
    'three repositories have one pull request each after three nights, and no job if nothing changed': {
      projects: PROJECTS,
      docs: createRepositoryChangedSince('organisation-caller.yml', 'schedule'),
      others: {
        'acme/api': createRepositoryChangedSince('organisation-caller.yml', 'schedule'),
        'acme/sdk': createRepositoryChangedSince('organisation-caller.yml', 'schedule'),
      },
      runs: [
        nightlyRun('docs-a', undefined, { prompts: ['docs-a new'], promptTexts: ['src/flags.ts'] }),
        nightlyRun('docs-b', undefined, { prompts: ['docs-b new'], promptTexts: ['src/flags.ts'] }),
        nightlyRun('docs-c', undefined, { prompts: ['docs-c new'], promptTexts: ['src/flags.ts'] }),

        nightlyRun('docs-a', undefined, SKIPPED),
        nightlyRun('docs-b', 'src/second.ts', { prompts: ['docs-b job_000002'], promptTexts: ['src/second.ts'] }),
        nightlyRun('docs-c', 'README.md', SKIPPED),

        nightlyRun('docs-a', 'src/second.ts', { prompts: ['docs-a job_000001'], promptTexts: ['src/second.ts'] }),
        nightlyRun('docs-b', undefined, SKIPPED),
        nightlyRun('docs-c', 'src/third.ts', {
          prompts: ['docs-c job_000003'],
          promptTexts: ['src/third.ts'],
          labels: matrix.map(() => 'docs-agent-organisation'),
          open: [4, 8, 12],
        }),
      ],
    },
    'a manual run does the same as the nightly run': {
      projects: PROJECTS,
      docs: createRepositoryChangedSince('organisation-caller.yml', 'schedule'),
      eventName: 'workflow_dispatch',
      runs: [nightlyRun('docs-a', undefined, { prompts: ['docs-a new'], promptTexts: ['src/flags.ts'] })],
    },
  },
  'scripts/recipes/workflows/organisation-on-push.yml': {
    'after a red run, the prompt of the next push contains both changes': {
      docs: createRepositoryChangedSince('organisation-on-push.yml', 'push'),
      runs: redThenGreen(['src/second.ts', 'src/third.ts'], { prompts: ['new'], open: [4] }),
    },
  },
  'docs/recipes/fleet.yml': {
    'three projects in three repositories have three pull requests after two runs, and each run adds to them': {
      projects: PROJECTS,
      others: { 'acme/api': createChangedRepository([]), 'acme/sdk': createChangedRepository([]) },
      vars: {
        DOCS_AGENT_PROJECTS: JSON.stringify(
          matrix.map((entry) => (entry.project === 'docs-b' ? { ...entry, prompt: TRANSLATED } : entry)),
        ),
      },
      runs: [
        {
          outputs: ended(3, 0),
          prompts: Object.keys(PROJECTS).map((project) => `${project} new`),
          promptTexts: ['Fix spelling and grammar on all pages. Change no code', TRANSLATED],
        },
        {
          eventName: 'workflow_dispatch',
          inputs: { prompt: 'Mention the new address.' },
          outputs: ended(3, 0),
          prompts: Object.keys(PROJECTS).map((project) => `${project} job_*`),
          labels: matrix.map(() => 'docs-agent-fleet'),
        },
      ],
    },
    'a failed project does not hide the others: the table lists all projects, and the run is red': {
      ...createFleetRun(...FLEET),
      runs: [
        {
          isRed: true,
          outputs: ended(GREEN, RED),
          prompts: FLEET.map((project) => `${project} new`),
          summary: [
            `${GREEN} of ${FLEET.length} projects succeeded`,
            ...FLEET.map((project) => `${isRed(project) ? '| ❌' : '| ✅'} | [\`${project}\`](`),
          ],
        },
      ],
    },
    'a project whose run is cancelled still names its job, so that somebody can attach to it': {
      ...createFleetRun('docs-a--slow'),
      isRealTime: true,
      cancelAt: 'The service accepted the prompt',
      runs: [
        {
          isRed: true,
          outputs: { 'project(docs/**, docs-a--slow, acme, acme/docs, docs-a--slow, docs).docs.job-id': 'job_000001' },
          prompts: ['docs-a--slow new'],
        },
      ],
    },
    'a project whose job never reported is listed, and the run is red, even if an earlier attempt was green': {
      ...createFleetRun('docs-a', 'docs-lost'),
      runs: [
        { outputs: ended(2, 0), prompts: ['docs-a new', 'docs-lost new'] },
        {
          attempt: 2,
          matrix: ['project:docs-a'],
          isRed: true,
          outputs: ended(1, 1),
          prompts: ['docs-a job_*'],
          summary: ['| its job never reported |'],
        },
      ],
    },
    'invalid inputs are reported immediately, and no prompt is sent': {
      ...createFleetRun('docs-a', 'docs-a', 'no/name'),
      runs: [{ isRed: true, jobs: ['check: failure'] }],
    },
    'without secrets, the run is red, and no prompt is sent': {
      ...createFleetRun('docs-a', 'docs-b'),
      runs: [{ secrets: 'withheld', isRed: true, jobs: ['check: failure'] }],
    },
  },
  'scripts/recipes/workflows/two-fleets.yml': {
    'two fleets in one run keep their results and inputs apart': {
      vars: { DOCS_AGENT_PROJECTS: '["docs-a"]' },
      edits: (prompt) => [addFile(prompt.includes('settings') ? 'mkdocs.yml' : 'docs/start.md', 'site_name: Acme')],
      plan: CHECK_SCENARIOS['checks-fixed'].checks,
      runs: [
        {
          prompts: ['docs-a new', 'docs-a new', 'docs-a job_*'],
          outputs: {
            'after.fleets.pages': 'docs-a: in-scope true, checks unknown',
            'after.fleets.settings': 'docs-a: in-scope false, checks success',
          },
          labels: ['docs-agent-pages', 'docs-agent-settings'],
          reviewers: ['mona'],
        },
      ],
    },
  },
}
