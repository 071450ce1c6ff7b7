import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../../testing/markdown-files.ts'
import { startIn80Columns } from '../../testing/start-in-terminal.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

/** Plays a workflow file with the packaged action, in a terminal of 80 columns. */
async function play(workflow: string, ...flags: readonly string[]): Promise<{ exitCode: number; shown: string }> {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'docs.yml'), workflow)
  const { exitCode, stdout, stderr } = await startIn80Columns(['--workflow', 'docs.yml', ...flags], folder)
  return { exitCode, shown: (stdout + stderr).replaceAll(/\s+/g, ' ') }
}

const createWorkflow = (inputs: string, permissions: string): string => `on:
  schedule: [{ cron: '0 3 * * *' }]
  push: { branches: [develop], paths: ['packages/*/src/**'] }
  issue_comment:
${permissions}
jobs:
  docs:
    runs-on: ubuntu-latest
    steps:
      - uses: your-org/docs-agent-action@v1
        with:
          ${inputs}
          allowed-paths: website/**
          project-id: \${{ vars.DOCS_AGENT_PROJECT_ID }}
          api-key: \${{ secrets.DOCS_AGENT_API_KEY }}
          base-url: \${{ vars.DOCS_AGENT_BASE_URL }}
`

const PERMISSIONS = 'permissions: { contents: read, actions: read, pull-requests: write, issues: write }'
const ROLLING = 'prompt: Write it.\n          change-context: files\n          on-open-pr: follow-up'

test.concurrent(
  'two nights lead to one pull request, and the second one begins where the first one ended',
  async () => {
    const events = ['--event', 'schedule', '--event', 'schedule']
    const { exitCode, shown } = await play(createWorkflow(ROLLING, PERMISSIONS), ...events)
    expect(exitCode).toBe(0)
    expect(shown.match(/1 commit, 1 file: everything since the last successful run/g)).toHaveLength(2)
    expect(shown).toContain('Adding to pull request #4 (job job_000001, follow-up 1 of 20).')
    expect(shown).toContain('All its files are in the allowed paths.')
    // The service's time, as in the log.
    expect(shown).toMatch(/success: pull-request, exit code 0, after (?:[2-9]\d s|\d+ min)/)
  },
)

test.concurrent('a misspelled input is red, and exits with 1', async () => {
  const { exitCode, shown } = await play(createWorkflow('prompt: Write it.\n          dryrun: true', PERMISSIONS))
  expect(exitCode).toBe(1)
  expect(shown).toContain('did you mean `dry-run`?')
})

test.concurrent('on another default branch, the next range begins at the last success too', async () => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, '.github/workflows'), { recursive: true })
  execFileSync('git', ['init', '-q', '-b', 'trunk'], { cwd: folder })
  const workflow = createWorkflow(
    ROLLING.replace('prompt', 'change-range: since-last-success\n          prompt'),
    PERMISSIONS,
  )
  writeFileSync(join(folder, '.github/workflows/docs.yml'), workflow.replace('develop', 'trunk'))
  const events = ['--event', 'push', '--event', 'push', '--changed', 'packages/a/src/x.ts']
  const { exitCode, stdout } = await startIn80Columns(
    ['--workflow', '.github/workflows/docs.yml', '--changed', 'packages/a/src/x.ts', ...events],
    folder,
  )
  expect(exitCode).toBe(0)
  const shown = stdout.replaceAll(/\s+/g, ' ')
  expect(shown.match(/push to trunk by mona/g)).toHaveLength(2)
  expect(shown.match(/everything since the last successful run/g)).toHaveLength(2)
})

test.concurrent('the first run has no earlier success, and the second one begins after it', async () => {
  const events = ['--event', 'schedule', '--event', 'schedule']
  const { exitCode, shown } = await play(createWorkflow(ROLLING, PERMISSIONS), ...events, '--first-run')
  expect(exitCode).toBe(0)
  expect(shown.match(/everything since the last successful run/g)).toHaveLength(1)
})

const MERGE = `      - name: Merge
        if: steps.docs.outputs.pr-state == 'open'
        env: { PR_LINK: '\${{ steps.docs.outputs.pr-link }}', GH_TOKEN: '\${{ github.token }}' }
        run: |
          echo Merging
          gh pr merge "$PR_LINK" --squash
`

test.concurrent('a step that merges is played, so that the second night opens another pull request', async () => {
  const workflow = createWorkflow(ROLLING, PERMISSIONS.replace('contents: read', 'contents: write'))
  const merging = workflow.replace('- uses', '- id: docs\n        uses') + MERGE
  const { exitCode, shown } = await play(merging, '--event', 'schedule', '--event', 'schedule')
  expect(exitCode).toBe(0)
  expect(shown).toContain('○ Merge (line 20): its `if` is true; run here: merged #4')
  expect(shown).toMatch(/#4 Write it\. \(merged\).*#5 Write it\. \(merged\).*✔ merged #4.*✔ merged #5/)
  // The agent's earlier pull request is in the range, but no reason for the new one.
  expect(shown).not.toMatch(/about\s+#4/)
})

test.concurrent('a merge that GitHub refuses fails the job', async () => {
  const merging = createWorkflow(ROLLING, PERMISSIONS).replace('- uses', '- id: docs\n        uses') + MERGE
  const [refused, withoutToken] = await Promise.all([play(merging), play(merging.replace('GH_TOKEN:', 'TOKEN:'))])
  expect([refused.exitCode, withoutToken.exitCode]).toEqual([1, 1])
  expect(refused.shown).toContain('✘ GitHub refuses to merge #4: Resource not accessible by integration')
  expect(withoutToken.shown).toContain('✘ `gh` needs a token: add GH_TOKEN to the `env` of the step')
})

test.concurrent('the change of a push consists of the given files', async () => {
  const files = ['packages/a/src/x.ts', 'README.md'].flatMap((file) => ['--changed', file])
  const workflow = createWorkflow(`${ROLLING}\n          paths: packages/**`, PERMISSIONS)
  const { exitCode, shown } = await play(workflow, '--event', 'push', ...files, '--dry-run')
  expect(exitCode).toBe(0)
  expect(shown).toContain('1 commit, 2 files: the push, from ')
  expect(shown).toContain('| M packages/a/src/x.ts (+1 -0)')
  expect(shown).not.toContain('| M README.md')
})

test.concurrent('an address and a name that a run would refuse are refused', async () => {
  const wrong = createWorkflow(ROLLING, PERMISSIONS).replace('${{ vars.DOCS_AGENT_BASE_URL }}', 'docs.example.com')
  const [address, name] = await Promise.all([play(wrong), play(createWorkflow('promt: Write it.', PERMISSIONS))])
  expect([address.exitCode, name.exitCode]).toEqual([1, 1])
  expect(address.shown).toContain('`base-url` must be a URL such as `https://docs.example.com/api`')
  expect(name.shown).toContain('`prompt` is missing')
})

test.concurrent('a job that GitHub ends leaves the work of the agent behind', async () => {
  const workflow = createWorkflow(ROLLING, PERMISSIONS).replace('steps:', 'timeout-minutes: 1\n    steps:')
  // A busy machine needs more than five seconds until the job is created.
  const { exitCode, shown } = await play(workflow, '--scenario', 'slow', '--speed', '3')
  expect(exitCode).toBe(1)
  expect(shown).toContain('■ cancelled: cancelled')
  expect(shown).toContain('The agent goes on with job_000001, which is billed, and its pull request stays unmarked')
})

test.concurrent('red steps with continue-on-error end the rehearsal of a recipe with 1', async () => {
  const recipe = readFileSync(join(root, 'docs/recipes/rehearse.yml'), 'utf8')
  const { exitCode, shown } = await play(recipe, '--speed', '100')
  expect(exitCode).toBe(1)
  expect(shown.match(/✘ failure: error/g)).toHaveLength(12)
})

test.concurrent('a comment becomes a follow-up', async () => {
  const { exitCode, shown } = await play(createWorkflow('command: /docs', PERMISSIONS), '--event', 'issue_comment')
  expect(exitCode).toBe(0)
  expect(shown).toContain('The comment is a follow-up to job job_finished, which opened pull request #1.')
})

test.concurrent('the token has the permissions of the file, and without them those of a new repository', async () => {
  const { exitCode, shown } = await play(createWorkflow(ROLLING, ''))
  expect(exitCode).toBe(1)
  expect(shown).toContain('Resource not accessible by integration')
  expect(shown).toContain('Without `permissions`, the token had the default of new repositories: contents: read.')
})

test.concurrent("the workflow's own token cannot write to another repository", async () => {
  const elsewhere = `${ROLLING}\n          pr-repository: acme/docs`
  const withApp = `${elsewhere}\n          github-token: \${{ secrets.APP }}`
  const [own, app] = await Promise.all([elsewhere, withApp].map((inputs) => play(createWorkflow(inputs, PERMISSIONS))))
  expect([own?.exitCode, app?.exitCode]).toEqual([1, 0])
  expect(own?.shown).toContain('Resource not accessible by integration')
})
