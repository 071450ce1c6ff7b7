import { expect, test } from '@jest/globals'
import { playWorkflow, type PlayedWorkflow } from '../support/play-workflow.ts'

const testWithBash = process.platform === 'win32' ? test.skip : test

function play(steps: string, job = ''): Promise<PlayedWorkflow> {
  const workflow = `name: Test\non: push\njobs:\n  only:\n    runs-on: any\n${job}    steps:\n${steps}`
  return playWorkflow(workflow, { vars: { NAME: 'v' }, secrets: { KEY: 's' }, node: process.execPath })
}

testWithBash('scripts see the variables of the job and their own, and hand outputs on', async () => {
  const { steps } = await play(
    `
      - id: first
        env: { NAME: '\${{ vars.NAME }} \${{ secrets.KEY }}' }
        run: |
          echo "name=$NAME $JOB \${MISSING:-none}" >> "$GITHUB_OUTPUT"
      - id: second
        if: steps.first.outputs.name == 'v s job none'
        env: { SEEN: '\${{ steps.first.outputs.name }}' }
        run: echo "$SEEN"
`,
    '    env: { JOB: job }\n',
  )
  expect(steps['second']).toMatchObject({ conclusion: 'success', output: 'v s job none\n' })
})

testWithBash('after a step that failed, and where its condition does not hold, a step is skipped', async () => {
  const { steps } = await play(`
      - { id: unwanted, if: "vars.NAME != 'v'", run: 'true' }
      - { id: broken, run: 'exit 3' }
      - { id: late, run: 'true' }
`)
  expect(Object.values(steps).map(({ conclusion }) => conclusion)).toEqual(['skipped', 'failure', 'skipped'])
})

test.each([
  ['an expression in a script', '- { id: a, run: "echo ${{ vars.NAME }}" }', 'An expression in a script'],
  ['another action', '- { id: a, uses: "actions/checkout@v5" }', 'This action is not known here'],
  ['another key of a step', '- { id: a, run: "true", continue-on-error: true }', 'continue-on-error'],
  ['a step without an id', '- { run: "true" }', 'expected string'],
  ['another condition', '- { id: a, if: "always()", run: "true" }', 'This condition is not known here'],
  [
    'another expression',
    '- { id: a, env: { A: "${{ github.sha }}" }, run: "true" }',
    'This expression is not known here',
  ],
  ['the output of no step', '- { id: a, env: { A: "${{ steps.b.outputs.c }}" }, run: "true" }', 'There is no step b'],
  ['a step that does nothing', '- { id: a }', 'neither an action nor a script'],
])('%s is refused', async (_name, step, reason) => {
  await expect(play(`      ${step}\n`)).rejects.toThrow(reason)
})
