import { expect, test } from '@jest/globals'
import { job, play, playWith, step, withLines } from '../../../../testing/play-workflow.ts'
import type { Started } from '../../../../testing/start-in-terminal.ts'

test('a job knows its runner and its place in the matrix', async () => {
  const named =
    '"${{ runner.os }} ${{ runner.arch }} ${{ strategy.job-index }}/${{ strategy.job-total }} ${{ strategy.max-parallel }} ${{ strategy.fail-fast }}"'
  const matrix = 'strategy: { max-parallel: 2, fail-fast: false, matrix: { os: [windows-11-arm, macos-15, x64] } }'
  const workflow = withLines(job(`- run: x\n        name: ${named}`), matrix)
  const { stdout } = await play(workflow.replace('ubuntu-latest', '${{ matrix.os }}'))
  for (const name of ['Windows ARM64 0/3 2 false', 'macOS ARM64 1/3 2 false', 'Linux X64 2/3 2 false'])
    expect(stdout).toContain(`○ ${name} (line`)
})

const HANG = step('prompt: hang')

const AFTER_HANG = `
      - { if: failure(), name: failed, run: x }
      - { if: cancelled(), name: cancelled, run: x }`

// A step needs time to start on a busy machine: here three seconds.
test.each([
  [
    'the job',
    withLines(job(HANG + AFTER_HANG), 'timeout-minutes: 1'),
    '✘ The job has exceeded the maximum execution time of 1 minutes.',
    /○ failed .*skipped[^]*○ cancelled .*not run here, x/,
  ],
  [
    'the step',
    job(HANG.replace('with:', 'timeout-minutes: 1\n        with:') + AFTER_HANG),
    "✘ The action 'your-org/docs-agent-action@v1' has timed out after 1 minutes.",
    /○ failed .*not run here, x[^]*○ cancelled .*skipped/,
  ],
])(
  'ends a step at the timeout-minutes of %s, and says what that leaves behind',
  async (what, workflow, sentence, next) => {
    const { exitCode, stdout } = await play(workflow, '--speed', '20')
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`${sentence} The agent goes on with job_7, which is billed, `)
    expect(stdout).toContain(`Set the input \`timeout-minutes\` of the step below the 1 minutes of ${what}.\n`)
    expect(stdout).toMatch(next)
  },
)

const MATRIX_OF_TWO = 'strategy: { matrix: { prompt: [fail, write] } }'

test.each<[strategy: string, played: number, line: string]>([
  [MATRIX_OF_TWO, 1, 'fail-fast` is on: GitHub has started both, and bills what this one has sent by then.\n'],
  [
    'strategy: { max-parallel: 1, matrix: { prompt: [fail, write] } }',
    1,
    '`fail-fast` is on: GitHub does not start it.\n',
  ],
  ['strategy: { fail-fast: false, matrix: { prompt: [fail, write] } }', 2, 'Conclusion'],
  [`${MATRIX_OF_TWO}\n    continue-on-error: true`, 2, '○ Job docs (fail) has `continue-on-error`'],
])('with %s, %i jobs are played', async (strategy, played, line) => {
  const { exitCode, stdout } = await play(withLines(job(step('prompt: ${{ matrix.prompt }}')), strategy))
  expect(exitCode).toBe(1)
  expect(stdout.match(/^event push/gm)).toHaveLength(played)
  expect(stdout).toContain(line)
})

test('a red job with continue-on-error counts as green for the jobs after it', async () => {
  const after = `  after:\n    needs: docs\n    runs-on: x\n    steps: [{ name: '\${{ needs.docs.result }}', run: x }]`
  const { exitCode, stdout } = await play(
    withLines(job(step('prompt: fail'), 'push:', after), 'continue-on-error: true'),
  )
  expect(stdout).toContain('○ success (line')
  expect(exitCode).toBe(1)
})

const ROLLING = step('prompt: x\n          on-open-pr: follow-up')
const SHARED = 'GitHub runs them at the same time, so without an open pull request each of them opens one.'
const beside = (lines: string): string => `  other:\n    runs-on: x\n${lines}    steps:\n      ${ROLLING}`

test.each<[what: string, workflow: string, says: boolean]>([
  ['of a matrix', withLines(job(ROLLING), 'strategy: { matrix: { x: [1, 2] } }'), true],
  [
    'of a matrix one after the other',
    withLines(job(ROLLING), 'strategy: { max-parallel: 1, matrix: { x: [1, 2] } }'),
    false,
  ],
  ['beside each other', job(ROLLING, 'push:', beside('')), true],
  ['one after the other', job(ROLLING, 'push:', beside('    needs: docs\n')), false],
  [
    'with other labels',
    job(ROLLING, 'push:', beside('').replace('prompt: x', 'prompt: x\n          label: other')),
    false,
  ],
  ['that open a pull request each anyway', job(ROLLING, 'push:', beside('')).replaceAll('follow-up', 'new'), false],
])('says of jobs %s whether GitHub opens two pull requests', async (_, workflow, says) => {
  const { exitCode, stdout } = await play(workflow)
  expect([exitCode, stdout.includes(SHARED)]).toEqual([0, says])
})

test('--output chooses what a condition and a matrix need from another step', async () => {
  const list = `- { id: filter, uses: dorny/paths-filter@v3 }
      - { if: "steps['filter'].outputs['api'] == 'true'", run: changed }
    outputs: { folders: "\${{ steps.filter.outputs.changes }}" }`
  const each = `  each:
    needs: docs
    strategy: { matrix: { folder: "\${{ fromJSON(needs.docs.outputs.folders) }}" } }
    runs-on: x
    steps:
      ${step('prompt: ${{ matrix.folder }}')}`
  const workflow = job(list, 'push:', each)
  const unknown = await play(workflow)
  expect(unknown.exitCode).toBe(1)
  expect(unknown.stdout).toContain('steps.filter.outputs.api is demo-filter-api, which only GitHub knows\n')
  expect(unknown.stdout).toMatch(
    /cannot be evaluated here: .* needs\.docs\.outputs\.folders is demo-filter-changes; choose another value with --output docs\.folders=…\.\n/,
  )
  expect(unknown.stdout).toContain('To choose outputs that only GitHub knows: --output filter.api=…\n')
  const chosen = await play(workflow, '--output', 'filter.api=true', '--output', 'filter.changes=["api", "cli"]')
  expect(chosen.exitCode).toBe(0)
  expect(chosen.stdout).toContain('○ changed (line 12): its `if` is true; not run here\n')
  for (const folder of ['api', 'cli']) expect(chosen.stdout).toContain(` › each (${folder}): your-org`)
  const ofJob = await play(workflow, '--output', 'docs.folders=["web"]', '--output', 'fitler.api=true')
  expect(ofJob.stdout).toContain(' › each (web): your-org')
  expect(ofJob.stdout).toContain('--output fitler.api was not used: no step or job with this id was reached.\n')
})

const CHECKOUT = '- uses: actions/checkout@v5\n      '

const COMPOSITE = `inputs:
  folder: { required: true }
  prompt: { default: 'Document \${{ github.ref_name }}.' }
outputs:
  outcome: { value: '\${{ steps.agent.outputs.outcome }}' }
runs:
  using: composite
  steps:
    - run: echo "\${{ inputs.folder }}"
      name: "\${{ endsWith(github.action_path, 'actions/docs') }}"
      shell: bash
    - id: agent
      uses: your-org/docs-agent-action@v1
      with:
        prompt: '\${{ inputs.prompt }} In \${{ inputs.folder }}, \${{ env.TONE }}.'
        project-id: p
        api-key: \${{ env.KEY }}
        base-url: https://docs.example.com
`

test('plays a composite action of the repository with its inputs and outputs', async () => {
  const files = { '.github/actions/docs/action.yml': COMPOSITE }
  const use = `${CHECKOUT}- id: all
        uses: ./.github/actions/docs
        env: { TONE: briefly, KEY: '\${{ secrets.KEY }}' }
        with: { folder: api }
      - name: \${{ steps.all.outputs.outcome }}
        run: x`
  const { exitCode, stdout } = await playWith(files, job(use))
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/prompt +Document main\. In api, briefly\.\n/)
  expect(stdout).toContain('service true key embedded\n')
  expect(stdout).toContain('your-org/docs-agent-action@v1 (line 12 of .github/actions/docs/action.yml)')
  expect(stdout).toContain('○ true (line 9 of .github/actions/docs/action.yml): not run here, echo')
  expect(stdout).toContain('○ pull-request (line')
})

test('an action of the repository needs a checkout, and must exist', async () => {
  const [without, missing] = await Promise.all([
    playWith({ '.github/actions/docs/action.yml': COMPOSITE }, job('- uses: ./.github/actions/docs')),
    play(job(`${CHECKOUT}- uses: ./.github/actions/gone`)),
  ])
  expect([without.exitCode, missing.exitCode]).toEqual([1, 1])
  expect(without.stdout).toContain('Did you forget to run actions/checkout before running your local action?\n')
  expect(missing.stdout).toContain(
    "Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '.github/actions/gone'.\n",
  )
})

test('an action of the repository after `$/` needs no checkout', async () => {
  const use =
    "- uses: $/.github/actions/docs\n        env: { KEY: '${{ secrets.KEY }}' }\n        with: { folder: api }"
  const { exitCode, stdout } = await playWith({ '.github/actions/docs/action.yml': COMPOSITE }, job(use))
  expect(exitCode).toBe(0)
  expect(stdout).toContain('your-org/docs-agent-action@v1 (line 12 of .github/actions/docs/action.yml)')
})

test('another kind of action of the repository is listed', async () => {
  const files = { 'tool/action.yml': 'runs: { using: node24, main: x.js }' }
  const { stdout } = await playWith(files, job(`${CHECKOUT}- uses: ./tool`))
  expect(stdout).toContain('○ ./tool (line 12): not run here\n')
})

const CALLED = `on:
  workflow_call:
    inputs:
      folder: { type: string, required: true }
      deep: { type: boolean }
      tone: { type: string, default: '\${{ github.ref_name }}' }
    secrets:
      KEY: { required: true }
    outputs:
      outcome: { value: '\${{ jobs.write.outputs.outcome }}' }
jobs:
  write:
    runs-on: x
    outputs: { outcome: '\${{ steps.agent.outputs.outcome }}' }
    steps:
      - id: agent
        uses: your-org/docs-agent-action@v1
        with:
          prompt: '\${{ inputs.folder }} \${{ inputs.deep == false }} \${{ inputs.tone }} \${{ secrets.KEY }}'
          project-id: p
          api-key: \${{ secrets.KEY }}
          base-url: https://docs.example.com
`

const CALL = (lines: string): string => `on: push
permissions: { contents: read }
jobs:
  docs:
    uses: ./.github/workflows/called.yml
${lines}
  after:
    needs: docs
    runs-on: x
    steps: [{ name: '\${{ needs.docs.outputs.outcome }}', run: x }]`

const callWith = (lines: string, called = CALLED): Promise<Started> =>
  playWith({ '.github/workflows/called.yml': called }, CALL(lines))

test('plays a reusable workflow of the repository with its inputs, secrets and outputs', async () => {
  const { exitCode, stdout } = await callWith("    with: { folder: api }\n    secrets: { KEY: '${{ secrets.OTHER }}' }")
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/prompt +api true main demo-OTHER\n/)
  expect(stdout).toContain(' › docs / write: your-org/docs-agent-action@v1 (line 16 of .github/workflows/called.yml)')
  expect(stdout).toContain('event push refs/heads/main write agent')
  expect(stdout).toContain('○ pull-request (line')
})

test('a reusable workflow can inherit the secrets', async () => {
  const { stdout } = await callWith('    with: { folder: api, deep: true }\n    secrets: inherit')
  expect(stdout).toMatch(/prompt +api false main demo-KEY\n/)
})

test.each([
  'true',
  '"true"',
  "${{ fromJSON('true') }}",
  "${{ github.event_name == 'push' }}",
  '${{ inputs.deep || true }}',
])('accepts %s for a boolean of a reusable workflow', async (deep) => {
  const { stdout } = await callWith(`    with:\n      folder: api\n      deep: ${deep}\n    secrets: inherit`)
  expect(stdout).toMatch(/prompt +api false main demo-KEY\n/)
})

test.each([
  ['    secrets: inherit', CALLED, 'Input folder is required, but not provided while calling.'],
  ['    with: { folder: a }', CALLED, 'Secret KEY is required, but not provided while calling.'],
  [
    '    with: { floder: a, folder: a }\n    secrets: inherit',
    CALLED,
    'Invalid input, floder is not defined in the referenced workflow.',
  ],
  ['', 'on: push\njobs: { a: { runs-on: x, steps: [{ run: x }] } }', 'it is missing a `on.workflow_call` trigger'],
  [
    '    with: { folder: a, deep: "${{ github.event.inputs.deep || \'false\' }}" }\n    secrets: inherit',
    CALLED,
    "Unexpected value 'false'. The input deep needs a boolean",
  ],
  [
    '    with: { folder: a, deep: "${{ inputs.deep }}" }\n    secrets: inherit',
    CALLED,
    "Unexpected value ''. The input deep needs a boolean",
  ],
  [
    '    with: { folder: a }\n    secrets: inherit',
    CALLED.replace('runs-on: x', 'runs-on: x\n    permissions: { contents: write }'),
    "The nested job 'write' is requesting 'contents: write', but is only allowed 'contents: read'.",
  ],
])("a call that GitHub refuses is red, in GitHub's words: %#", async (lines, called, sentence) => {
  const { exitCode, stdout } = await callWith(lines, called)
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(sentence) as unknown])
})

const GROUP = 'concurrency: ${{ github.workflow }}'

test.each([
  [`${GROUP}\n`, `${GROUP}\n`, 1],
  [`${GROUP}\n`, `${GROUP}-called\n`, 0],
  ['', `${GROUP}\n`, 0],
])('a called workflow in the `concurrency` group of its caller is red: %#', async (own, ofCalled, exitCode) => {
  const lines = '    with: { folder: a }\n    secrets: inherit'
  const ended = await playWith({ '.github/workflows/called.yml': ofCalled + CALLED }, own + CALL(lines))
  expect(ended.exitCode).toBe(exitCode)
  expect(ended.stdout.includes("between a top level workflow and 'docs'")).toBe(exitCode === 1)
})

test('a job in the `concurrency` group of its workflow is red', async () => {
  const workflow = withLines(job(step('prompt: x')), 'concurrency: { group: docs }')
  expect((await play(workflow)).exitCode).toBe(0)
  expect((await play(`concurrency: docs\n${workflow}`)).stdout).toContain("for concurrency group: 'docs' between")
})

test('a `concurrency` group that cannot be evaluated changes nothing', async () => {
  const { exitCode, stdout } = await play(`concurrency: \${{ fromJSON(vars.X).group }}\n${job(step('prompt: x'))}`)
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('success: pull-request')])
})

test('files call each other at most four levels deep', async () => {
  const level = (next: string): string => `on: workflow_call\njobs: { next: { uses: ./.github/workflows/${next}.yml } }`
  const files = Object.fromEntries(
    ['called', 'c', 'd', 'e'].map((name, index, all) => [
      `.github/workflows/${name}.yml`,
      level(all[index + 1] ?? name),
    ]),
  )
  const { exitCode, stdout } = await playWith(files, CALL(''))
  expect(exitCode).toBe(1)
  expect(stdout).toContain('.github/workflows/e.yml would be file 5 in a chain of calls, and 4 are run.\n')
})

test('a variable that a script sets is named as not known', async () => {
  const set = `- run: |\n          echo "DOCS=$(./find)" >> "$GITHUB_ENV"\n          echo "other=1" >> "$GITHUB_OUTPUT"
      - { if: env.DOCS == 'yes', run: write }
      - { name: "[\${{ env.other }}]", run: x }`
  const { stdout } = await play(job(set))
  expect(stdout).toContain('its `if` is false: env.DOCS is demo-env-DOCS, which only GitHub knows\n')
  expect(stdout).toContain('○ [] (line')
  expect((await play(job(set), '--output', 'env.DOCS=yes')).stdout).toContain('○ write (line 14): its `if` is true; ')
})

test('names that every object has are names like others', async () => {
  const steps = `- { id: constructor, uses: a/b@c }
      - { run: x, name: '\${{ steps.constructor.outputs.__proto__ }} \${{ vars.__proto__ }} \${{ env.__proto__ }}' }
      - { run: x, name: '\${{ matrix.__proto__ }} \${{ inputs.__proto__ }} \${{ inputs.toString }}' }`
  const on = 'workflow_dispatch: { inputs: { __proto__: { default: b }, toString: { default: c } } }'
  const workflow = withLines(job(steps, on), 'env: { __proto__: e }\n    strategy: { matrix: { __proto__: [a] } }')
  const { stdout, stderr } = await play(workflow)
  expect(stderr).toBe('')
  expect(stdout).toContain('○ demo-constructor-__proto__ demo-__proto__ e (line')
  expect(stdout).toContain('○ a b c (line')
})

test.each([
  ['an address without a scheme', step('prompt: x').replace('${{ env.SERVICE }}', 'docs.example.com'), 'service false'],
  ['an address that a variable has', step('prompt: x').replace('env.SERVICE', 'vars.URL'), 'service false'],
  [
    'an input that the action does not have',
    step('promt: x'),
    '✘ The action has no input `promt`, which GitHub only warns about.',
  ],
  ['a key in the file', step('prompt: x').replace('${{ secrets.KEY }}', 'abc'), '✘ `api-key` is written in the file'],
])('%s is as wrong as in a run', async (what, steps, line) => {
  const { exitCode, stdout } = await play(job(steps), '--var', 'URL=docs.example.com')
  expect(stdout).toContain(line)
  // The real action refuses the address.
  expect(exitCode).toBe(what.startsWith('an address') ? 0 : 1)
})

test('a red step with continue-on-error is red in the conclusion and the exit code', async () => {
  const steps = `${step('prompt: fail').replace('with:', 'continue-on-error: true\n        with:')}\n      - run: next`
  const { exitCode, stdout } = await play(job(steps))
  expect(exitCode).toBe(1)
  expect(stdout).toContain('○ next (line 18): not run here\n')
  expect(stdout).toMatch(/Conclusion[^]*✘ failure: .*\n {2}○ With `continue-on-error`, the job goes on/)
})

const SINCE = step('prompt: x\n          change-range: since-last-success')
const AGAIN = 'fails, the next run sends the same change again, and it is billed again.'
const OTHER_JOB = '  test:\n    runs-on: x\n    steps: [{ run: x }]'

const SEPARATE_ADVICE = ' Keep the agent in a workflow of its own, or add `continue-on-error: true` there.'

test.each<[what: string, workflow: string, cause: string, change?: string]>([
  ['a later step', job(`${SINCE}\n      - run: x`), 'the step in line 18'],
  ['a later step with continue-on-error', job(`${SINCE}\n      - { run: x, continue-on-error: true }`), ''],
  ['a later step after a failure', job(`${SINCE}\n      - { run: x, if: failure() }`), ''],
  ['an earlier step', job(`- run: x\n      ${SINCE}`), ''],
  ['another job', job(SINCE, 'push:', OTHER_JOB), 'the job test'],
  ['a job after a failure', job(SINCE, 'push:', OTHER_JOB.replace('runs-on', 'if: failure()\n    runs-on')), ''],
  ['a job before it', withLines(job(SINCE, 'push:', OTHER_JOB), 'needs: test'), ''],
  ['another job, without that range', job(step('prompt: x'), 'push:', OTHER_JOB), ''],
  [
    'another job of the matrix',
    withLines(job(SINCE), 'strategy: { matrix: { x: [1, 2] } }'),
    'another job of the matrix of docs',
    ' To send it only to the jobs that failed, choose “Re-run failed jobs” before the next run starts.',
  ],
])(
  'says whether %s can make the next run send the same change again',
  async (_, workflow, cause, change = SEPARATE_ADVICE) => {
    const { exitCode, stdout } = await play(workflow)
    expect(exitCode).toBe(0)
    if (cause === '') expect(stdout).not.toContain(AGAIN)
    else expect(stdout).toContain(`if ${cause} ${AGAIN}${change}\n`)
  },
)

const ON_STEP = (line: string): string => SINCE.replace('with:', `${line}\n        with:`)

test.each<[what: string, workflow: string, line: number | undefined]>([
  ['the step', job(ON_STEP('continue-on-error: true')), 12],
  ['its job', withLines(job(SINCE), 'continue-on-error: true'), 10],
  ['the step, which is not to continue', job(ON_STEP('continue-on-error: false')), undefined],
  [
    'a step without that range',
    job(ON_STEP('continue-on-error: true').replace('since-last-success', 'a...b')),
    undefined,
  ],
])('says whether `continue-on-error` of %s loses the change of a red step', async (_, workflow, line) => {
  const { stdout } = await play(workflow)
  const lost = /`continue-on-error` \(line (\d+)\) makes the run green .* is never sent/.exec(stdout)
  expect(lost?.[1]).toBe(line?.toString())
})

const LIMITED = step('prompt: x\n          timeout-minutes: 20')
const LIMIT_OF_STEP = LIMITED.replace('with:', 'timeout-minutes: 10\n        with:')

test.each<[what: string, workflow: string, early: string | undefined]>([
  ['the same minutes for the job', withLines(job(LIMITED), 'timeout-minutes: 20'), 'job docs after 20 minutes'],
  ['more for the job', withLines(job(LIMITED), 'timeout-minutes: 30'), undefined],
  ['fewer for the job than by default', withLines(job(step('prompt: x')), 'timeout-minutes: 30'), 'job docs after 30'],
  ['fewer for the step', withLines(job(LIMIT_OF_STEP), 'timeout-minutes: 30'), 'step after 10 minutes'],
  ['no minutes for the job', job(LIMITED), undefined],
  [
    'fewer for a job that does not wait',
    withLines(job(step('prompt: x\n          label: submitted')), 'timeout-minutes: 5'),
    undefined,
  ],
])('with %s, says whether GitHub ends the step before its own timeout', async (_, workflow, early) => {
  const { stdout } = await play(workflow)
  if (early === undefined) expect(stdout).not.toContain('GitHub ends the ')
  else expect(stdout).toContain(`GitHub ends the ${early}`)
})

const WITH_CHANGE = step('prompt: x\n          change-context: files')
/** @param where the workflow's own group, or that of its job */
const inGroup = (where: 'workflow' | 'job', lines: string, steps = WITH_CHANGE, on = 'push:'): string =>
  where === 'job'
    ? withLines(job(steps, on), `concurrency: ${lines}`)
    : job(steps, on).replace('jobs:', `concurrency: ${lines}\njobs:`)

const CANCELLING = '{ group: docs, cancel-in-progress: true }'

test.each<[what: string, workflow: string, cancels: boolean, replaces: boolean]>([
  ['a group for each branch', inGroup('workflow', '"${{ github.workflow }}-${{ github.ref }}"'), false, true],
  ['a group of the job', inGroup('job', '{ group: docs }'), false, true],
  ['a group that cancels', inGroup('job', CANCELLING), true, true],
  ['a queue', inGroup('workflow', '{ group: docs, queue: max }'), false, false],
  ['a group for each commit', inGroup('workflow', '"${{ github.sha }}"'), false, false],
  ['a schedule', inGroup('workflow', 'docs', WITH_CHANGE, "schedule: [{ cron: '0 3 * * *' }]"), false, false],
  [
    'pushes of tags',
    inGroup('workflow', '"docs-${{ github.ref }}"', WITH_CHANGE, "push: { tags: ['v*'] }"),
    false,
    false,
  ],
  [
    'pushes of all but some tags',
    inGroup('workflow', '"docs-${{ github.ref }}"', WITH_CHANGE, "push: { tags-ignore: ['v*'] }"),
    false,
    false,
  ],
  [
    'pushes of tags and branches',
    inGroup('workflow', '"docs-${{ github.ref }}"', WITH_CHANGE, "push: { tags: ['v*'], branches: [main] }"),
    false,
    true,
  ],
  ['a range that covers all', inGroup('workflow', 'docs', SINCE), false, false],
  ['a prompt without a change', inGroup('workflow', 'docs', step('prompt: x')), false, false],
  ['no group', job(WITH_CHANGE), false, false],
  ...['run_id', 'run_number', 'sha'].map((name): [string, string, boolean, boolean] => [
    `a group for each ${name} that cancels`,
    inGroup('job', `{ group: "docs-\${{ github.${name} }}", cancel-in-progress: true }`),
    false,
    false,
  ]),
  ['a dry run', inGroup('job', CANCELLING, `${WITH_CHANGE}\n          label: previewed`), false, false],
  ['a step that only attaches', inGroup('job', CANCELLING, step('change-context: files')), false, false],
])('with %s, says whether runs are cancelled or replaced', async (_, workflow, cancels, replaces) => {
  const { exitCode, stdout } = await play(workflow)
  const says = [/new run cancels the one before, but not its agent/, /GitHub runs only the newest/]
  expect([exitCode, ...says.map((sentence) => sentence.test(stdout))]).toEqual([0, cancels, replaces])
})

test.each<[condition: string, isAlwaysTrue: boolean]>([
  ["${{ vars.OFF != 'true' }} && github.ref == 'refs/heads/main'", true],
  ["${{ vars.OFF != 'true' }} && ${{ true }}", true],
  ["|\n      ${{ vars.OFF != 'true' }}", true],
  ["${{ vars.OFF != 'true' && true }}", false],
  ["vars.OFF != 'true'", false],
])('says whether the condition %j is always true', async (condition, isAlwaysTrue) => {
  const { exitCode, stdout } = await play(withLines(job(step('prompt: x')), `if: ${condition}`))
  const says = stdout.includes('The `if` in line 10 is always true, because it has text around `${{ }}`.')
  expect([exitCode, says]).toEqual([0, isAlwaysTrue])
})

const ON_PUSH = "if: github.event_name == 'push'"
const ON_MAIN = "github.event_name == 'push' && github.ref == 'refs/heads/main'"
const GATE = 'if: needs.test.outputs.src'
const FILTER = OTHER_JOB.replace('steps:', 'outputs: { src: x }\n    steps:')

test.each<[what: string, workflow: string, line: number | undefined]>([
  ['a condition on the step', job(ON_STEP("if: vars.OFF == ''")), 12],
  ['a status function on the step', job(ON_STEP('if: always()')), undefined],
  ['a condition on the branch of the step', job(ON_STEP(`if: ${ON_MAIN}`)), undefined],
  [
    'a condition on the default branch',
    job(ON_STEP('if: github.ref_name == github.event.repository.default_branch')),
    undefined,
  ],
  ['a condition on forks', job(ON_STEP('if: ${{ !github.event.repository.fork }}')), undefined],
  ['a condition on the type of the ref', job(ON_STEP("if: github.ref_type == 'branch'")), undefined],
  [
    'a condition on a repository with a name like that',
    job(ON_STEP("if: github.repository != 'needs/env'")),
    undefined,
  ],
  ['a condition on the message of a push', job(ON_STEP("if: github.event.head_commit.message != 'x'")), 12],
  ['a condition on the event that moves the base', job(ON_STEP(ON_PUSH), 'pull_request:\n  push:'), undefined],
  [
    'a condition on one of the events that move the base',
    job(ON_STEP(ON_PUSH), "schedule: [{ cron: '0 3 * * *' }]\n  push:"),
    13,
  ],
  [
    'the success of an earlier step',
    job(`- { id: app, run: x }\n      ${ON_STEP("if: always() && steps.app.outcome == 'success'")}`),
    undefined,
  ],
  [
    'the skip of an earlier step',
    job(`- { id: app, run: x }\n      ${ON_STEP("if: steps.app.outcome != 'skipped'")}`),
    13,
  ],
  [
    'the success of an earlier job',
    withLines(job(SINCE, 'push:', OTHER_JOB), "needs: test\n    if: always() && needs.test.result != 'failure'"),
    undefined,
  ],
  ['a condition on the only job', withLines(job(SINCE), "if: vars.OFF == ''"), undefined],
  ['a condition on a job after another', withLines(job(SINCE, 'push:', FILTER), `needs: test\n    ${GATE}`), 11],
  [
    'a condition on a job before another',
    withLines(job(SINCE, 'push:', OTHER_JOB.replace('runs-on', 'needs: docs\n    runs-on')), "if: vars.OFF == ''"),
    undefined,
  ],
  [
    'a condition on a job before one that always runs',
    withLines(
      job(SINCE, 'push:', OTHER_JOB.replace('runs-on', 'needs: docs\n    if: always()\n    runs-on')),
      "if: vars.OFF == ''",
    ),
    10,
  ],
  [
    'a condition on the step without that range',
    job(step('prompt: x').replace('with:', "if: vars.OFF == ''\n        with:")),
    undefined,
  ],
])('says whether %s can skip the step in a green run', async (_, workflow, line) => {
  const { stdout } = await play(workflow, '--event', 'push', '--var', 'OFF=')
  const skips = /The `if` in line (\d+) can skip the agent's step in a green run/.exec(stdout)
  expect(skips?.[1]).toBe(line?.toString())
  expect(stdout).toContain('success')
})

const RELEASED = job(step('prompt: x'), 'release:')

test.each<[what: string, workflow: string, isRepeated: boolean]>([
  ['without a condition', RELEASED, true],
  [
    'with a condition on the type',
    RELEASED.replace('with:', "if: github.event.action == 'published'\n        with:"),
    false,
  ],
  ['in a job with one', withLines(RELEASED, "if: github.event.action == 'published'"), false],
  ['that does not run', withLines(RELEASED, 'if: false'), false],
  ['without a prompt', job(step('label: x'), 'release:'), false],
])('says whether a step %s gets one release several times', async (_, workflow, isRepeated) => {
  const { stdout } = await play(workflow)
  expect(stdout.includes('so one release is sent 3 times')).toBe(isRepeated)
})
