import { expect, test } from '@jest/globals'
import { job, play, playWith, step, withLines } from '../../../../testing/play-workflow.ts'

test('plays a step of this action with its inputs, and against the embedded service only', async () => {
  const { exitCode, stdout, stderr } = await play(job(step("prompt: 'Document ${{ github.ref_name }}.'")))
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toContain('docs.yml, in the repository me/web\n')
  expect(stdout).toContain('── push to main, with src/deploy.ts ─')
  expect(stdout).toMatch(/ {2}project-id +demo-PROJECT\n {2}prompt +Document main\.\n/)
  expect(stdout).toContain('service true key embedded\ntoken embedded me/web\n')
  expect(stdout).toContain('event push refs/heads/main docs __step_1 1\nenv none unset dry no\n')
  expect(stdout).toMatch(
    /── Conclusion ─+\npush to main, .* › docs: [\w-]+.*\n {2}✔ success: pull-request, exit code 0/,
  )
  expect(stdout).toContain('Demo values: vars.PROJECT is demo-PROJECT. Choose others with --var.\n')
})

test.each(['Base-URL', 'BA\u017fE-URL'])('an input is the same in any spelling: %s', async (name) => {
  const { stdout } = await play(
    job(step(`prompt: x\n          ${name}: https://docs.example.com`).replace('base-url', 'x')),
  )
  expect(stdout).toContain('service true key embedded\n')
})

test('an empty key or token stays empty, as it would be on GitHub', async () => {
  const { stdout } = await play(job(step("github-token: ''").replace('${{ secrets.KEY }}', "''")))
  expect(stdout).toContain('key none\ntoken none any\n')
})

const TOKEN_STEP = `- id: token
        uses: actions/create-github-app-token@v3
      - name: Merge
        if: failure()
        run: gh pr merge
      ${step("prompt: '${{ steps.token.outputs.token }}'\n          github-token: ${{ steps.token.outputs.token }}")}
      - run: gh pr merge --auto`

test("a step's condition sees the variables of the step", async () => {
  const { exitCode } = await play(
    job(`- if: env.GO == 'yes'\n        env: { GO: 'yes' }\n        ${step('prompt: x').slice(2)}`),
  )
  expect(exitCode).toBe(0)
})

test('lists other steps, and gives their outputs demo values', async () => {
  const { exitCode, stdout } = await play(job(TOKEN_STEP))
  expect(exitCode).toBe(0)
  expect(stdout).toContain('○ actions/create-github-app-token@v3 (line 11): not run here\n')
  expect(stdout).toContain('○ Merge (line 13): skipped, its `if` is false\n')
  expect(stdout).toMatch(/prompt +demo-token-token\n/)
  expect(stdout).toContain('token embedded any\n')
  expect(stdout).toContain('○ gh pr merge --auto (line 23): not run here\n')
})

test('names the outputs that only GitHub knows, if an `if` is false because of them', async () => {
  const filter = `- id: filter
        uses: dorny/paths-filter@v3
      - if: steps.filter.outputs.docs == 'true'
        run: echo docs
    outputs: { docs: "\${{ steps.filter.outputs.docs }}" }`
  const next = `  next:
    needs: docs
    if: needs.docs.outputs.docs == 'true'
    runs-on: ubuntu-latest
    steps:
      - run: echo next`
  const { stdout } = await play(job(filter, 'push:', next))
  const isFalse = 'skipped, its `if` is false: '
  expect(stdout).toContain(`${isFalse}steps.filter.outputs.docs is demo-filter-docs, which only GitHub knows\n`)
  expect(stdout).toContain(`${isFalse}needs.docs.outputs.docs is demo-filter-docs, which only GitHub knows\n`)
})

test('a step sees the files of the repository only after a checkout', async () => {
  const read = step('prompt-file: .github/workflows/docs.yml')
  const { stdout } = await play(job(`${read}\n      - uses: actions/checkout@v4\n      ${read}`))
  expect(stdout.match(/file (?:true|false)/g)).toEqual(['file false', 'file true'])
})

test('replaces a prompt file that a script would write', async () => {
  const write = "- uses: actions/checkout@v4\n      - run: echo 'Do it' > prompt.md"
  const { stdout } = await play(
    job(`${write}\n      ${step('prompt-file: prompt.md')}\n      ${step('prompt-file: other.md')}`),
  )
  expect(stdout).toMatch(/prompt +demo-prompt\.md\n/)
  expect(stdout).toMatch(/prompt-file +other\.md\n/)
})

const FOUND = /prompt-file +\.github\/workflows\/docs\.yml\n[^]*file true/

test.each([
  ['{ path: main }', 'main/.github/workflows/docs.yml', FOUND],
  ['{ path: ./main/ }', './main/.github/workflows/docs.yml', FOUND],
  ['{ path: main }', '.github/workflows/docs.yml', 'file false'],
  ['{ repository: me/web, path: main }', 'main/.github/workflows/docs.yml', FOUND],
  ['{ repository: me/prompts }', 'docs.md', /prompt +demo-docs\.md\n/],
  ['{ repository: "${{github.repository}}", path: . }', '.github/workflows/docs.yml', FOUND],
  ['{ repository: "${{ github.event.repository.full_name }}" }', '.github/workflows/docs.yml', FOUND],
])('after a checkout with %s, the prompt file %s is found as on GitHub', async (inputs, file, shown) => {
  const checkout = `- uses: actions/checkout@v5\n        with: ${inputs}`
  const { stdout } = await play(job(`${checkout}\n      ${step(`prompt-file: ${file}`)}`))
  expect(stdout).toMatch(shown)
})

test('says of a longer script that GitHub would run it', async () => {
  const script = `- name: Say it\n        if: github.ref_name == 'main'\n        run: |\n          echo a\n          echo b`
  const { stdout } = await play(job(script))
  expect(stdout).toContain('○ Say it (line 11): its `if` is true; GitHub would run it (2 lines, not run here)\n')
})

test('steps that GitHub runs at the same time are played in order, which a line says', async () => {
  const steps = `- { id: build, run: make, background: true }
      - parallel:
          - run: lint
          ${step('prompt: x').replaceAll('\n', '\n    ')}
      - wait-all:`
  const { exitCode, stdout, stderr } = await play(job(steps))
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toContain('○ GitHub runs some steps at the same time (line 11). Here they run in order.\n')
  expect(stdout).toMatch(/○ lint .*not run here\n[^]*event push[^]*○ wait-all .*not run here\n/)
})

test('names the values of a matrix in the conclusion', async () => {
  const matrix = 'strategy: { matrix: { folder: [api, cli] } }\n    steps:'
  const { stdout } = await play(job(step('prompt: ${{ matrix.folder }}')).replace('steps:', matrix))
  for (const folder of ['api', 'cli']) expect(stdout).toContain(` › docs (${folder}): your-org/docs-agent-action@v1`)
})

test('the agent is not paused, unless --var says so', async () => {
  const paused = job(step("prompt: '[${{ vars.DOCS_AGENT_PAUSED }}]'"))
  const { stdout } = await play(paused)
  expect(stdout).toMatch(/prompt +\[\]\n/)
  expect(stdout).not.toContain('demo-DOCS_AGENT_PAUSED')
  expect((await play(paused, '--var', 'DOCS_AGENT_PAUSED=true')).stdout).toMatch(/prompt +\[true\]\n/)
})

test('nothing in the file reaches the terminal as a control character', async () => {
  const escape = String.raw`\e[31m`
  const named = `- name: "a${escape}"\n        run: "b${escape}"\n      ${step(`"c${escape}": "d${escape}"`)}\n        name: "e${escape}"`
  const { stdout } = await play(job(`${named}\n      ${step(String.raw`prompt: "${'$'}{{ vars['f\e[31m'] }}"`)}`))
  expect(stdout).toMatch(/○ a.*not run here, b.*\n/)
  expect(stdout).not.toContain('\u001b')
})

const CHAIN = `  after:
    needs: docs
    if: always()
    runs-on: ubuntu-latest
    steps:
      - name: \${{ needs.docs.result }}
        run: exit
  never:
    needs: docs
    runs-on: ubuntu-latest
    steps: [{ run: exit }]
  clean:
    needs: never
    if: failure()
    runs-on: ubuntu-latest
    steps: [{ run: clean, name: '\${{ toJSON(needs) }}' }]
  central:
    if: always()
    needs: docs
    uses: me/workflows/.github/workflows/docs.yml@main`

test('a red step makes its job fail, which the later jobs see', async () => {
  const { exitCode, stdout } = await play(job(`${step('prompt: fail')}\n      - run: next`, 'push:', CHAIN))
  expect(exitCode).toBe(1)
  expect(stdout).toContain('✘ failure: pull-request, exit code 1')
  expect(stdout).toMatch(/○ next \(line \d+\): skipped, after a red step\n/)
  expect(stdout).toMatch(
    /○ failure \(line \d+\): not run here, exit\n○ Job never \(line \d+\): skipped, after a red job\n/,
  )
  expect(stdout).toMatch(
    /○ \{\n {2}"never": \{\n {4}"result": "skipped",\n {4}"outputs": \{\}\n {2}\}\n\} \(line \d+\): not run here, clean\n/,
  )
  expect(stdout).toContain(
    'not run here, it calls the reusable workflow me/workflows/.github/workflows/docs.yml@main\n',
  )
})

test('names what cannot be evaluated, and ends red if that is a step of this action', async () => {
  const other = `- run: x\n        if: hashFiles('x') != ''`
  const { exitCode, stdout } = await play(job(`${other}\n      ${step('prompt: ${{ fromJSON(vars.TEXT).a }}')}`))
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(
    /○ x \(line 11\): not run here\. Line 12: `.*` cannot be evaluated here: hashFiles needs a checkout\.\n/,
  )
  expect(stdout).toMatch(/not run here\. Line 18: `fromJSON\(vars\.TEXT\)\.a` cannot be evaluated here: /)
  expect(stdout).toContain('✘ not run here\n')
})

test('a job whose outputs need another step is played', async () => {
  const steps = `${step('prompt: x')}\n      - { id: list, run: list }\n    outputs: { first: '\${{ fromJSON(steps.list.outputs.all)[0] }}' }`
  const after = `  after:\n    needs: docs\n    runs-on: x\n    steps: [{ name: '\${{ needs.docs.outputs.first }}', run: x }]`
  const { exitCode, stdout } = await play(job(steps, 'push:', after))
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/○ Outputs of job docs: Line \d+: `fromJSON\(.*` cannot be evaluated here: /)
  expect(stdout).toContain('○ demo-docs-first (line')
})

test('a misspelled action of this project is red, as on GitHub', async () => {
  const { exitCode, stdout } = await play(job(`- uses: a/docs-agent-action/visitor@v1\n      ${step('prompt: x')}`))
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(
    /visitor@v1 \(line \d+\): not run here, this copy of the project has no visitor\/action\.yml\n/,
  )
})

const NIGHTLY = job(step('prompt: Write it.'), "schedule: [{ cron: '0 3 * * *' }]\n  workflow_dispatch:")

test('a second event happens a day later', async () => {
  const { exitCode, stdout } = await play(NIGHTLY, '--changed', 'a/b.ts', '--event', 'schedule', '--event', 'schedule')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('── schedule, after a change of a/b.ts (event 1 of 2)')
  expect(stdout).toContain('── schedule, after a change of a/b.ts (event 2 of 2, a day later)')
  expect(stdout.match(/event schedule refs\/heads\/main docs __step_1 0 3/g)).toHaveLength(2)
  expect(stdout).toContain('Not run: workflow_dispatch (add `--event workflow_dispatch`)\n')
})

test('--dry-run and --var apply to each step', async () => {
  const { stdout } = await play(NIGHTLY, '--dry-run', '--var', 'PROJECT=mine')
  expect(stdout).toMatch(/project-id +mine\n/)
  expect(stdout).toContain('dry true\n')
})

test('the inputs of a manual run are texts in its event, and typed otherwise', async () => {
  const on = 'workflow_dispatch: { inputs: { flag: { type: boolean, default: true } } }'
  const steps = `- run: x\n        name: \${{ github.event.inputs.flag == 'true' && inputs.flag == true }}\n      ${step('prompt: x')}`
  expect((await play(job(steps, on))).stdout).toContain('○ true (line')
})

const FILTERED = job(step('prompt: Write it.'), 'push: { paths: [packages/*/src/**] }')

test('a path filter that matches nothing says which files there were, and how to play others', async () => {
  const { exitCode, stdout } = await play(FILTERED)
  expect(exitCode).toBe(1)
  expect(stdout).toContain('\n○ GitHub would not start this workflow: ')
  expect(stdout).toContain('\n○ No step of this action ran.\n')
  expect(stdout).toContain('matches none of the changed files: src/deploy.ts.\n')
  expect(stdout).toContain('.github/workflows/docs.yml --changed packages/demo/src/demo.ts\n')
  expect(await play(FILTERED, '--changed', 'packages/a/src/x.ts')).toMatchObject({ exitCode: 0 })
})

test('--changed after an --event belongs to that event', async () => {
  const flags = ['--event', 'push', '--event', 'push', '--changed', 'packages/a/src/x.ts']
  const { exitCode, stdout } = await play(FILTERED, ...flags)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('matches none of the changed files: src/deploy.ts.\n')
  expect(stdout).toContain('add this after the event: --changed packages/demo/src/demo.ts\n')
  expect(stdout).toContain('── push to main, with packages/a/src/x.ts (event 2 of 2, a day later)')
})

test('an event that starts nothing is red, also after another one', async () => {
  const on = 'push:\n  issue_comment: { types: [deleted] }'
  const { exitCode, stdout } = await play(job(step('prompt: x'), on), '--event', 'push', '--event', 'issue_comment')
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/── issue_comment \(event 2 of 2, a day later\) ─*\n✘ GitHub would not start this workflow/)
})

test('a step that `paths` skips says which files there were', async () => {
  const skipped = job(step('paths: docs/**\n          label: skipped'))
  const hint = 'The change had src/deploy.ts. Choose other files with --changed.\n'
  expect((await play(skipped)).stdout).toContain(hint)
  expect((await play(skipped, '--changed', 'a.ts')).stdout).not.toContain(hint)
})

test.each([
  ['pull_request:', [], 'No trigger of this file can be run here. It has: pull_request (line 2'],
  ['push:', ['--event', 'schedule'], 'This file has no trigger `schedule`. It has: push (line 2).'],
  ['push:', ['--workflow', '.github/workflows'], '.github/workflows is a folder. Name one file in it.'],
  ['push:', ['--workflow', 'docs.yml'], 'There is no file /'],
  ['psuh:', [], "GitHub's parser does not accept this workflow file."],
])('a file with %s is refused with the flags %j: %s', async (on, flags, message) => {
  const stderr = expect.stringContaining(message) as unknown
  expect(await play(job(step('prompt: x'), on), ...flags)).toMatchObject({ exitCode: 2, stdout: '', stderr })
})

test('the comment begins with the command of a step', async () => {
  const { stdout } = await play(
    job(step('prompt: ${{ github.event.comment.body }}\n          command: /write'), 'issue_comment:'),
  )
  expect(stdout).toContain('── issue_comment on #1 by mona: /write Mention both flags')
  expect(stdout).toMatch(/prompt +\/write Mention both flags on the first page\.\n/)
})

const BY_MEMBERS = `- if: >-
          contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.comment.author_association)
          && contains(github.event.issue.labels.*.name, 'docs-agent') && github.event.issue.user.type == 'Bot'
        ${step('prompt: ${{ github.event.comment.body }}').slice(2)}`

test('a comment is on the pull request of the agent, with its labels and authors', async () => {
  const { exitCode, stdout } = await play(job(BY_MEMBERS, 'issue_comment:'))
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('✔ success: pull-request') as unknown])
})

test('--comment is the text, and --on-pull-request means the pull request of a person', async () => {
  const where = '${{ github.event.issue.number }} by ${{ github.event.issue.user.login }}'
  const steps = `- run: x\n        name: ${where}\n      ${step('prompt: ${{ github.event.comment.body }}')}`
  const workflow = job(steps, 'push:\n  issue_comment:')
  const { exitCode, stdout } = await play(workflow, '--comment', '/docs Fix it', '--on-pull-request')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('── issue_comment on #123 by mona: /docs Fix it ')
  expect(stdout).toContain('○ 123 by mona (line')
  expect(stdout).toMatch(/prompt +\/docs Fix it\n/)
})

test('--ref is the branch or tag of an event', async () => {
  const on = "push: { branches: [main, 'release/**'], tags: ['v*'] }"
  const events = ['--event', 'push', '--ref', 'release/1', '--event', 'push', '--ref', 'v1.2.0']
  const { exitCode, stdout } = await play(job(step('prompt: x'), on), ...events)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('event push refs/heads/release/1 docs')
  expect(stdout).toContain('event push refs/tags/v1.2.0 docs')
  const refused = await play(job(step('prompt: x'), on), '--ref', 'other')
  expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('does not accept other.\n') as unknown })
})

test.each([
  ['release:', 'sent 3 times: created, published, released. Add `types: [released]`.\n'],
  ['release: { types: [published, released] }', 'sent 2 times: published, released.'],
])('%s sends one release several times, which is said', async (on, expected) => {
  const { exitCode, stdout } = await play(job(step('prompt: x'), on))
  expect([exitCode, stdout.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(expected.trim())])
})

test('a release of one type is sent once', async () => {
  const { stdout } = await play(job(step('prompt: x'), 'release: { types: [published] }'))
  expect(stdout).not.toContain('times:')
})

test('--schedule is one of several crons, and the others are named', async () => {
  const on = "schedule: [{ cron: '0 3 * * *' }, { cron: '0 3 * * 1' }]"
  const weekly = `- if: github.event.schedule == '0 3 * * 1'\n        ${step('prompt: x').slice(2)}`
  const { exitCode, stdout } = await play(job(weekly, on), '--schedule', '0 3 * * 1')
  expect(exitCode).toBe(0)
  expect(stdout).toContain("Not run: 0 3 * * * (add `--schedule '0 3 * * *'`)\n")
})

test.each([
  ['push:', '', true],
  ["push: { paths: ['src/**'] }", '', true],
  ['push: { branches: [main] }', '', false],
  ["push: { tags: ['v*'] }", '', false],
  ['push:', "if: github.ref_name == 'main'", false],
  ['workflow_dispatch:', '', false],
])('says whether %s with %j starts for other branches and tags: %s', async (on, condition, isUnfiltered) => {
  const { stdout } = await play(withLines(job(step('prompt: x'), on), condition))
  expect(stdout.includes('also starts the agent for every other branch')).toBe(isUnfiltered)
})

test('says nothing of other branches if a called workflow has a condition on the branch', async () => {
  const condition = "if: github.ref == 'refs/heads/main'"
  const called = withLines(job(step('prompt: x'), 'workflow_call:'), condition)
  const caller = 'on: push\njobs: { docs: { uses: ./.github/workflows/called.yml, secrets: inherit } }'
  const { stdout } = await playWith({ '.github/workflows/called.yml': called }, caller)
  expect(stdout).toContain('service true')
  expect(stdout).not.toContain('also starts the agent for every other branch')
})

test('says nothing of other branches if the push that was not played starts no agent', async () => {
  const condition = "if: github.event_name == 'workflow_dispatch'"
  const workflow = withLines(job(step('prompt: x'), 'push:\n  workflow_dispatch:'), condition)
  const { stdout } = await play(workflow, '--event', 'workflow_dispatch')
  expect(stdout).toContain('service true')
  expect(stdout).not.toContain('also starts the agent for every other branch')
})

test.each([
  ['.github/workflow/docs.yml', true],
  ['.github/docs.yml', true],
  ['.github/workflows/sub/docs.yml', true],
  ['.github/workflows/docs.yml.txt', true],
  ['.github/workflows/docs', true],
  ['.github/workflows/docs.yaml', false],
  ['.github/workflow-templates/docs.yml', false],
  ['docs.yml', false],
])('says whether GitHub overlooks %s: %s', async (file, isOverlooked) => {
  const workflow = job(step('prompt: x'))
  const { stdout } = await playWith({ [file]: workflow }, workflow, '--workflow', file)
  expect(stdout.includes('GitHub runs only files in `.github/workflows`')).toBe(isOverlooked)
})
