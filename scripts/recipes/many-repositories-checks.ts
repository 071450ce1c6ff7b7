import type { Checks, RepositoryName, Run } from './check.ts'
import { createChangedRepository, createRepositoryChangedSince, push, redThenGreen, SKIPPED } from './scenarios.ts'

const PROJECTS = { 'docs-a': 'acme/docs', 'docs-b': 'acme/api', 'docs-c': 'acme/sdk' } as const

/** Creates the nightly run of a repository. @param file the file that changed since its last successful run, if any */
function nightlyRun(project: keyof typeof PROJECTS, file: string | undefined, run: Run): Run {
  const from: RepositoryName = PROJECTS[project]
  const event = file === undefined ? {} : { event: push(file, from) }
  return { from, vars: { DOCS_AGENT_PROJECT_ID: project }, ...event, ...run }
}

/** The repositories of the projects of many-projects.yml. */
const MATRIX = {
  others: {
    'acme/api': createChangedRepository([]),
    'acme/cli': createChangedRepository([]),
    'acme/sdk': createChangedRepository([]),
  },
}

export const MANY_REPOSITORIES_CHECKS: Checks = {
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
          labels: Object.keys(PROJECTS).map(() => 'docs-agent-organisation'),
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
  'docs/recipes/many-projects.yml': {
    'each project has one pull request in its own repository, and the next run adds to it': {
      ...MATRIX,
      projects: { 'docs-api': 'acme/api', 'docs-cli': 'acme/cli', 'docs-sdk': 'acme/sdk' },
      runs: [
        {
          prompts: ['docs-api new', 'docs-cli new', 'docs-sdk new'],
          promptTexts: ['Fix spelling and grammar on all pages.'],
          labels: ['docs-agent-docs-api', 'docs-agent-docs-cli', 'docs-agent-docs-sdk'],
          open: [4, 8, 12],
        },
        {
          eventName: 'workflow_dispatch',
          inputs: { prompt: 'Mention the new address.' },
          prompts: ['docs-api job_*', 'docs-cli job_*', 'docs-sdk job_*'],
          promptTexts: ['Mention the new address.'],
          open: [4, 8, 12],
        },
      ],
    },
    'a project that fails does not stop those after it, and only it is run again': {
      ...MATRIX,
      projects: { 'docs-api': 'acme/api', 'docs-cli--failed': 'acme/cli', 'docs-sdk': 'acme/sdk' },
      changes: { 'docs-cli': 'docs-cli--failed', 'max-parallel: 5': 'max-parallel: 1' },
      runs: [
        {
          isRed: true,
          outputs: {
            'docs(docs-api, api).docs.outcome': 'pull-request',
            'docs(docs-cli--failed, cli).docs.outcome': 'failed',
            'docs(docs-sdk, sdk).docs.outcome': 'pull-request',
          },
          prompts: ['docs-api new', 'docs-cli--failed new', 'docs-sdk new'],
          labels: ['docs-agent-docs-api', 'docs-agent-docs-sdk'],
          open: [4, 12],
        },
        {
          attempt: 2,
          matrix: ['project:docs-cli--failed'],
          isRed: true,
          prompts: ['docs-cli--failed new'],
        },
        {
          isRed: true,
          prompts: ['docs-api job_*', 'docs-cli--failed new', 'docs-sdk job_*'],
          labels: ['docs-agent-docs-api', 'docs-agent-docs-sdk'],
          open: [4, 12],
        },
      ],
    },
  },
}
