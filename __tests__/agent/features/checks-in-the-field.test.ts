import { expect, test } from '@jest/globals'
import { renderFixPrompt } from '../../../src/agent/prompt.ts'
import { AGENT_USER, GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { stubGitHub } from '../../../testing/github-client.ts'
import { changeResponse, playStep, type PlayedStep, type PlayStepOptions } from '../../../testing/play-step.ts'

const GIVEN = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'wait-for-checks': 'true', 'fix-rounds': '1' }

/** Plays a step with failing checks whose conclusion is another one. */
function playWith(conclusion: string): Promise<PlayedStep> {
  interface Listed {
    readonly check_runs?: readonly { readonly conclusion: string | null }[]
    readonly check_suites?: readonly { readonly conclusion: string | null }[]
    readonly workflow_runs?: readonly { readonly conclusion: string | null }[]
  }
  const change = changeResponse((listed: Listed) =>
    Object.fromEntries(
      Object.entries(listed)
        .filter(([, list]) => Array.isArray(list))
        .map(([name, list]) => [
          name,
          (list as NonNullable<Listed['check_runs']>).map((one) => ({
            ...one,
            ...(one.conclusion === 'failure' && { conclusion }),
            ...('output' in one && { output: { ...(one.output as object), text: 'The link to b.md is broken.' } }),
          })),
        ]),
    ),
  )
  const responses: PlayStepOptions['responses'] = {
    'checks/list-for-ref': change,
    'checks/list-suites-for-ref': change,
    'actions/list-workflow-runs-for-repo': change,
  }
  return playStep({ inputs: agentInputs({}, GIVEN), github: combineScenarios(['checks-fail']), responses })
}

const getComments = ({ pulls }: PlayedStep['docs']): string =>
  Object.values(pulls)
    .flatMap(({ comments }) => comments.map(({ body }) => body))
    .join('\n')

test.each([
  ['cancelled', 'cancelled'],
  ['stale', 'stale'],
  ['startup failure', 'startup_failure'],
])('sends no round for a check with the conclusion %s, and names both', async (shown, conclusion) => {
  const { messages, outputs, docs, summary } = await playWith(conclusion)
  expect(messages).toEqual([])
  expect(outputs).toMatchObject({ checks: 'failure' })
  expect(summary).toContain('Failing checks were not sent back to the agent. No commit can fix what failed')
  expect(getComments(docs)).toMatch(new RegExp(`- Its checks failed: <code>\\w+&#58; ${shown}</code>`))
})

test('sends a round for a check that failed, with the text of the check', async () => {
  const { messages } = await playWith('failure')
  expect(messages).toEqual([expect.stringContaining('The link to b.md is broken.')])
})

const ANNOTATION = { path: 'a.md', start_line: 1, title: null }

test('lists failures first, each annotation with its level, and reads further pages', async () => {
  const page = (level: string, number: number) => ({
    ...ANNOTATION,
    message: `${level} ${number}`,
    annotation_level: level,
  })
  const pages = [
    Array.from({ length: 50 }, (_, at) => page('notice', at)),
    [page('warning', 50), page('failure', 51), page('other', 52)],
  ]
  let read = 0
  const github = stubGitHub(
    () => pages[read++] ?? [],
    () => (read < pages.length ? `<https://api.example.com/x?page=${read + 1}>; rel="next"` : undefined),
  )
  const listed = await github.listAnnotations('acme/docs', 7)
  expect([read, listed.length]).toEqual([2, 53])
  expect(listed.slice(0, 3).map(({ level, message }) => [level, message])).toEqual([
    ['failure', 'failure 51'],
    ['warning', 'warning 50'],
    ['notice', 'notice 0'],
  ])
  expect(listed.at(-1)?.level).toBe('other')
})

test('sends the text of a check, and the level of each annotation', () => {
  const annotations = [{ path: 'a.md', line: 3, title: 'Missing', message: 'It is gone.', level: 'failure' }]
  const check = { name: 'links', title: 'Broken', summary: 'Two links', text: 'The link to b.md is broken.' }
  const prompt = renderFixPrompt([{ check, annotations }], 'c'.repeat(40), 5_000)
  expect(prompt).toContain('a.md:3: failure: Missing: It is gone.')
  expect(prompt).toContain('Two links\nThe link to b.md is broken.')
})

const BEHIND = changeResponse((pull: { state: string }) =>
  pull.state === 'open' ? { mergeable: true, mergeable_state: 'behind' } : {},
)

test('a pull request that is behind its base is not ready, and that is said', async () => {
  const inputs = agentInputs({}, { ...GIVEN, 'fix-rounds': '0' })
  const github = combineScenarios(['checks-pass'])
  const { line, summary, docs, log } = await playStep({ inputs, github, responses: { 'pulls/get': BEHIND } })
  expect(line + log.join('\n')).toContain('behind its base')
  expect(summary).not.toContain('is ready')
  expect(summary).toContain('behind its base branch')
  expect(getComments(docs)).toContain('It is behind its base branch')
  const ready = await playStep({ inputs, github })
  expect(ready.summary).toContain('The pull request is ready')
})

test('checks are not known if the head moves after them and the pull request can no longer be read', async () => {
  let hasSettled = false
  const onRequest: PlayStepOptions['onRequest'] = (what, { docs, nowMs }) => {
    if (what !== 'checks/list-suites-for-ref' || hasSettled) return
    hasSettled = true
    const [pull] = Object.values(docs.pulls).slice(-1)
    pushCommit(docs, pull?.branch ?? '', { message: 'Break it', author: AGENT_USER, files: [] }, nowMs)
  }
  const responses: PlayStepOptions['responses'] = {
    'pulls/get': ({ respond }) =>
      hasSettled ? { status: 502, headers: {}, body: '{"message": "Bad gateway"}', delivery: 'complete' } : respond(),
  }
  const inputs = agentInputs({}, { ...GIVEN, 'fix-rounds': '0', 'timeout-minutes': '5' })
  const github = combineScenarios(['checks-pass'])
  const { outputs, isGreen, text, messages } = await playStep({ inputs, github, onRequest, responses })
  expect([isGreen, messages]).toEqual([false, []])
  expect(outputs).toMatchObject({ outcome: 'pull-request', checks: '' })
  expect(text).toContain('Could not determine whether the checks are those of the newest commit: ')
})
