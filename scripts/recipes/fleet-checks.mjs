const FLEET = [
  ...['--pull-request', '--failed', '--no-changes', '--flaky', '', '--archived', '--sparse', '--late-link'],
  ...[
    '',
    '--unlisted-status',
    '',
    '--no-changes',
    '--hostile',
    '--failed',
    '',
    '--other-job',
    '',
    '',
    '',
    '--hostile-link',
  ],
].map((scenario, index) => `docs-${String(index + 1).padStart(2, '0')}${scenario}`)

/** A link that cannot be used is red, too. */
const RED_IN_FLEET = FLEET.filter((project) => /--(failed|archived|hostile)$/.test(project))

/** @type {Readonly<Record<string, readonly import('./checks.mjs').Check[]>>} */
export const FLEET_CHECKS = {
  'docs/recipes/fleet.yml': [
    {
      name: 'twenty projects: one red one hides no other, the table has all of them, and the run is red',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: JSON.stringify(FLEET) },
      expected: {
        conclusion: 'failure',
        outputs: {
          'report.table.green': String(FLEET.length - RED_IN_FLEET.length),
          'report.table.red': String(RED_IN_FLEET.length),
        },
        prompts: FLEET.map((project) => `POST ${project} job`),
        summary: [
          `${FLEET.length - RED_IN_FLEET.length} of ${FLEET.length} projects are green`,
          ...FLEET.map((project) => `${RED_IN_FLEET.includes(project) ? '| ❌' : '| ✅'} | [\`${project}\`](`),
        ],
      },
    },
    {
      name: 'a fleet of green projects is green',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: '["docs-a", "docs-b--no-changes"]' },
      expected: {
        conclusion: 'success',
        outputs: { 'report.table.green': '2', 'report.table.red': '0' },
        prompts: ['POST docs-a job', 'POST docs-b--no-changes job'],
        summary: ['2 of 2 projects are green'],
      },
    },
    {
      name: 'a project whose run is cancelled still names its job, so that somebody can attach to it',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: '["docs-a--slow"]' },
      time: 'real',
      cancelAt: ' is active.',
      expected: {
        conclusion: 'failure',
        outputs: { 'project(docs-a--slow).docs.job-id': 'job_000001' },
        prompts: ['POST docs-a--slow job'],
      },
    },
    {
      name: 'a project whose job never reported has its line all the same, and the run is red',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: '["docs-a", "docs-lost"]' },
      matrix: ['project:docs-a'],
      expected: {
        conclusion: 'failure',
        outputs: { 'report.table.green': '1', 'report.table.red': '1' },
        prompts: ['POST docs-a job'],
        summary: ['1 of 2 projects are green', '| its job never reported |'],
      },
    },
    {
      name: 'wrong inputs are told at once, and nothing is sent',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: '["docs-a", "docs-a", "no/name"]' },
      expected: { conclusion: 'failure', prompts: [] },
    },
    {
      name: 'without secrets every project is red, and nothing is sent',
      inputs: { prompt: 'Mention the new address of the status page.' },
      vars: { DOCS_AGENT_PROJECTS: '["docs-a", "docs-b"]' },
      secrets: 'withheld',
      expected: {
        conclusion: 'failure',
        outputs: { 'report.table.green': '0', 'report.table.red': '2' },
        prompts: [],
        summary: ['0 of 2 projects are green', '| ❌ | [`docs-a`](', '| ❌ | [`docs-b`](', '| error |'],
      },
    },
  ],
}
