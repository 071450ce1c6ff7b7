import { expect, test } from '@jest/globals'
import { runAction, type RunResult } from '../../scripts/small-runner/run-action.ts'
import { createTemporaryAction } from '../../testing/temporary-action.ts'

const [RUN_ACTION, ERRORS] = ['action/run-action.ts', 'runtime/errors.ts'].map(
  (path) => new URL(`../../src/${path}`, import.meta.url).href,
)

/** Runs an action with a defect that no real action has. @param fields replace those of a green action */
function runDefective(fields: string): Promise<RunResult> {
  const action = createTemporaryAction(`
    const crash = () => { throw new TypeError('x is undefined') }
    async function main() {
      const { runAction } = await import(${JSON.stringify(RUN_ACTION)})
      const { ActionError } = await import(${JSON.stringify(ERRORS)})
      const stop = () => Promise.reject(new ActionError('deadline', 'Too late.', { hint: 'Wait longer.' }))
      await runAction({
        fields: {},
        initialOutputs: { outcome: 'error' },
        parse: () => ({ projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 5 }),
        run: () => Promise.resolve('done'),
        createSkippedReport: ({ message }) => message,
        render: (text) => ({ isGreen: true, title: 'Ended', text, outputs: { outcome: text }, summary: '# ' + text }),
        ${fields}
      })
    }
    void main()
  `)
  return runAction({ action })
}

test.concurrent.each([
  ['rendering fails', 'render: crash', 'Internal error', /^A bug .* Report it/],
  [
    'rendering the report of an expected error fails',
    'run: stop, render: crash',
    'The step timed out',
    /^Too late\. Wait longer\.$/,
  ],
])('if %s, the step is red, keeps its early outputs, and logs the reason', async (_what, fields, title, message) => {
  const { rawOutput, annotations, ...run } = await runDefective(fields)
  expect(run).toMatchObject({ exitCode: 1, outputs: { outcome: 'error' }, summary: '' })
  expect(annotations).toEqual([{ level: 'error', title, message: expect.stringMatching(message) }])
  expect(rawOutput).toContain('TypeError: x is undefined')
})

test.concurrent('an expected error is red even if its report is green', async () => {
  expect(await runDefective('run: stop')).toMatchObject({
    exitCode: 1,
    annotations: [{ level: 'error', title: 'Ended', message: 'Too late.' }],
    outputs: { outcome: 'Too late.' },
    summary: '# Too late.',
  })
})

test.concurrent('an uncaught error counts, even if the action returns a result before the log is flushed', async () => {
  const run = await runDefective(`run() {
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text, flushed) => write(text, flushed && (() => setTimeout(flushed, 100)))
    return new Promise((resolve) => setImmediate(() => { setImmediate(resolve, 'done'); crash() }))
  }`)
  expect(run).toMatchObject({ exitCode: 1, annotations: [{ level: 'error', title: 'Ended' }] })
  expect(run.outputs).toEqual({ outcome: 'A bug in the action stopped the step.' })
})
