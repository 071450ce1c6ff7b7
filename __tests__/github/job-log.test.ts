import { expect, test } from '@jest/globals'
import { connectJobLogs } from '../../src/github/job-log.ts'
import { askingEmbedded, type EmbeddedGitHub } from '../support/embedded-github.ts'
import { answering, errorOf } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'

const LOG =
  '\ufeff2026-01-01T00:00:00.1234567Z ##[group]Run it\n2026-01-01T00:00:01.1234567Z ##[error]It broke: docs_key\nlast ##[one]\n'
const docs = { checkRuns: [checkRun({ id: 7, name: 'build', headSha: commit('c'), runId: 5, log: LOG })] }

const read = (world: Partial<EmbeddedGitHub> = {}): Promise<unknown> =>
  askingEmbedded({ docs, ...world }, (github) => github.readJobLog('acme/docs', 7).catch((error: unknown) => error))

test('gives the log without time stamps, from where the token must not be shown, and without secrets', async () => {
  const redact = (text: string): string => text.replaceAll('docs_key', '***')
  expect(await read({ options: { redact } })).toBe('group: Run it\nerror: It broke: ***\nlast ##[one]')
})

test('the log of a repository that was renamed is asked for at its new place', async () => {
  await askingEmbedded({ docs: { ...docs, id: 5 }, oldName: 'acme/old' }, async (github) => {
    expect(await github.readJobLog('acme/old', 7)).toContain('It broke')
  })
})

test('without `actions: read` it says what is missing', async () => {
  const hint = expect.stringContaining('`actions: read`') as unknown
  expect(await read({ permissions: { checks: 'read' } })).toMatchObject({ code: 'forbidden', hint })
})

test('a log that is gone is one that cannot be read', async () => {
  const gone = { checkRuns: [checkRun({ id: 7, name: 'build', headSha: commit('c'), runId: 5 })] }
  expect(await read({ docs: gone })).toMatchObject({ code: 'rejected' })
})

test.each([undefined, 'nonsense', 'http://logs.example.com/1', 'file:///etc/passwd'])(
  'an address such as %s is not asked',
  async (location) => {
    const ask = answering({
      actions: { downloadJobLogsForWorkflowRun: () => Promise.resolve({ headers: { location } }) },
    })
    const asked: URL[] = []
    const download = (url: URL): Promise<void> => Promise.resolve(void asked.push(url))
    expect(await errorOf(connectJobLogs(ask, download, (text) => text).readJobLog('acme/docs', 7))).toMatchObject({
      code: 'bad-answer',
    })
    expect(asked).toEqual([])
  },
)
