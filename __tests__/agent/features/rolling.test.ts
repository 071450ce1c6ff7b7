import { describe, expect, test } from '@jest/globals'
import { parseHistory, startHistory } from '../../../src/agent/history/state.ts'
import { renderHistory } from '../../../src/agent/history/render.ts'
import {
  AGENT_USER,
  BOT,
  GITHUB_TOKEN,
  MAINTAINER,
  OUTSIDER,
  TOKEN_USER,
} from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { closeIssue, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { BASE_URL } from '../../../testing/in-process-github.ts'
import {
  changeResponse,
  playFollowUp,
  playStep,
  type PlayStepOptions,
  respondInOrder,
  respondWith,
} from '../../../testing/play-step.ts'

const READ = 'read job_finished'
const HISTORY = '<!-- docs-agent-action: {'
const GET_LABEL = 'issues/get-label'
const CREATE_LABEL = 'issues/create-label'

const getPull = ({ pulls }: RepositoryState, number = 1) => {
  const pull = pulls[number]
  if (pull === undefined) throw new Error(`There is no pull request ${number}.`)
  return pull
}

const getHistory = (docs: RepositoryState, number = 1) => {
  const bodies = getPull(docs, number).comments.flatMap(({ body }) => (body.startsWith(HISTORY) ? [body] : []))
  return { bodies, state: parseHistory(bodies.at(-1) ?? '') }
}

/** The first run, without an open pull request. */
const playFirst = (given: Readonly<Record<string, string>> = {}, options: Partial<PlayStepOptions> = {}) => {
  const access = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'on-open-pr': 'follow-up' }
  return playStep({ inputs: agentInputs({}, { ...access, ...given }), ...options })
}

describe('the first job', () => {
  test('creates the label before the prompt, then adds the label and one history comment', async () => {
    const order: string[] = []
    const onRequest = (what: string): unknown => order.push(what)
    const { isGreen, docs, outputs } = await playFirst({}, { onRequest })
    expect(isGreen).toBe(true)
    expect(order.indexOf(CREATE_LABEL)).toBeGreaterThan(-1)
    expect(order.indexOf(CREATE_LABEL)).toBeLessThan(order.indexOf('create'))
    const number = Number(outputs['pr-number'])
    expect(getPull(docs, number).labels).toEqual(['docs-agent'])
    const { bodies, state } = getHistory(docs, number)
    expect(bodies).toHaveLength(1)
    expect(state).toMatchObject({ v: 1, job: 'job_000001', labels: ['docs-agent'], followUps: 0 })
    expect(state?.rows).toMatchObject([{ run: 42, attempt: 1, turn: 0, effect: 'created', outcome: 'pull-request' }])
  })

  test('does not create a label that exists', async () => {
    const { isGreen, operations } = await playFirst({}, { prepare: ({ labels }) => labels.push('Docs-Agent') })
    expect([isGreen, operations.includes(CREATE_LABEL)]).toEqual([true, false])
  })

  test('uses a label that another step creates at the same moment', async () => {
    const { isGreen, acceptedPrompts } = await playFirst(
      {},
      {
        responses: {
          [CREATE_LABEL]: ({ docs, respond }) => {
            docs.labels.push('docs-agent')
            return respond()
          },
        },
      },
    )
    expect([isGreen, acceptedPrompts.length]).toEqual([true, 1])
  })

  test('sends nothing if the label cannot be created, and names the permissions to grant', async () => {
    const { isGreen, report, acceptedPrompts, line } = await playFirst(
      {},
      { github: combineScenarios(['label-not-created']) },
    )
    expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
    expect(report.error?.message).toContain('The label `docs-agent` could not be found or created')
    expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
  })

  test('does not claim that a label is missing that GitHub could not return', async () => {
    const { report } = await playFirst({}, { responses: { [GET_LABEL]: respondWith(502) } })
    expect(report.error?.message).toBe(
      'The label `docs-agent` could not be found or created: GitHub responded with 502.',
    )
  })

  test('creates the label after one server error', async () => {
    const responses = { [CREATE_LABEL]: respondInOrder(respondWith(502), ({ respond }) => respond()) }
    const { isGreen, acceptedPrompts } = await playFirst({}, { responses })
    expect([isGreen, acceptedPrompts.length]).toEqual([true, 1])
  })

  test('advises to wait if a rate limit prevents that the label is created', async () => {
    const responses = { [CREATE_LABEL]: respondWith(429, { 'retry-after': '86400' }) }
    const { report } = await playFirst({}, { responses })
    expect(report.error?.hint).toBe('Run the step again later, or create the label `docs-agent` by hand.')
  })

  test('needs no label and creates none with `on-open-pr: new`', async () => {
    const { operations } = await playFirst({ 'on-open-pr': 'new' })
    expect(operations).not.toContain(GET_LABEL)
  })

  test('creates no label in a dry run', async () => {
    const { observed, report } = await playFirst({ 'dry-run': 'true' })
    expect([report.outcome, observed.writes]).toEqual(['previewed', []])
  })
})

describe('a follow-up', () => {
  test('goes to the job of the open pull request, is counted, and edits the one history comment', async () => {
    const shown: unknown[] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, { docs }) => {
      if (what === 'message job_finished') shown.push(getHistory(docs).bodies[0])
    }
    const { docs, messages, outputs } = await playFollowUp({}, { onRequest })
    expect(messages).toHaveLength(1)
    expect(outputs).toMatchObject({ 'job-id': 'job_finished', 'pr-number': '1' })
    expect(shown).toEqual([expect.stringContaining('UTC, do not merge yet')])
    const { bodies, state } = getHistory(docs)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).not.toContain('⏳')
    expect(state).toMatchObject({ job: 'job_finished', followUps: 1, limit: 20, rows: [{ effect: 'updated' }] })
  })

  test('is red after `max-follow-ups`, and writes nothing', async () => {
    const { isGreen, report, messages, observed } = await playFollowUp(
      {},
      { github: combineScenarios(['follow-ups-used-up']) },
    )
    expect([isGreen, messages, observed.writes]).toEqual([false, [], []])
    expect(report.error).toMatchObject({
      code: 'not-sent',
      hint: expect.stringContaining('Merge or close pull request #1 (https://git.example.com/acme/docs/pull/1)'),
    })
    expect(report.error?.message).toContain('Pull request #1 has reached the limit of 20 follow-ups')
  })

  test('sends nothing if the history cannot be written, and names the permissions to grant', async () => {
    const { line, messages } = await playFollowUp({}, { github: combineScenarios(['open-pull-request', 'read-only']) })
    expect(messages).toEqual([])
    expect(line).toContain('could not be recorded in the history')
    expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
  })

  test('is red if another run has used up the limit in the meantime', async () => {
    const responses: PlayStepOptions['responses'] = {
      'issues/get-comment': changeResponse(() => ({
        body: renderHistory({ ...startHistory('job_finished'), followUps: 20 }),
      })),
    }
    const { isGreen, messages, report } = await playFollowUp({}, { responses })
    expect([isGreen, messages]).toEqual([false, []])
    expect(report.error?.message).toContain('limit of 20 follow-ups')
  })

  test('follows `on-open-pr: skip`', async () => {
    const { isGreen, report, messages } = await playFollowUp({ 'on-open-pr': 'skip' })
    expect([isGreen, report.outcome, messages]).toEqual([true, 'skipped', []])
  })

  test('is red if the pull request is closed between choosing and sending', async () => {
    const onRequest: PlayStepOptions['onRequest'] = (what, { docs, nowMs }) => {
      if (what === 'issues/update-comment') closeIssue(docs, getPull(docs), nowMs)
    }
    const { isGreen, report, messages } = await playFollowUp({}, { onRequest })
    expect([isGreen, messages]).toEqual([false, []])
    expect(report.error).toMatchObject({
      message: 'Pull request #1 was closed before the prompt was sent.',
      hint: 'Run the step again.',
    })
  })

  test.each<[what: string, responses: PlayStepOptions['responses']]>([
    ['the list of pull requests', { 'pulls/list': respondWith(500) }],
    ['the comments', { 'issues/list-comments': respondWith(500) }],
    ['the job', { [READ]: respondWith(401) }],
  ])('is red if %s cannot be read', async (_what, responses = {}) => {
    const { isGreen, report, acceptedPrompts } = await playFollowUp({}, { responses })
    expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  })

  test('is red if the row cannot be written before the prompt', async () => {
    const { isGreen, messages, report } = await playFollowUp(
      {},
      { responses: { 'issues/update-comment': respondWith(403) } },
    )
    expect([isGreen, messages]).toEqual([false, []])
    expect(report.error?.message).toContain('could not be recorded in the history of pull request #1')
  })
})

const OTHER_LINK = `${BASE_URL}/acme/docs/pull/77`

describe('a pull request that is not continued', () => {
  test.each<[what: string, read: NonNullable<PlayStepOptions['responses']>[string], reason: string]>([
    ['is archived', changeResponse(() => ({ status: 'archived' })), 'job job_finished is archived'],
    ['has failed', changeResponse(() => ({ status: 'failed' })), 'job job_finished failed'],
    ['is gone', respondWith(404), 'job job_finished is not known'],
    [
      'has another pull request',
      changeResponse(() => ({ prLink: OTHER_LINK })),
      'job job_finished has another pull request',
    ],
  ])('is named, and a new job starts, if its job %s', async (_what, read, reason) => {
    const { isGreen, acceptedPrompts, hostCalls } = await playFollowUp({}, { responses: { [READ]: read } })
    expect([isGreen, acceptedPrompts.map(([to]) => to)]).toEqual([true, ['create']])
    expect(hostCalls.join('\n')).toContain(`Skipped pull request #1: it has the label, but ${reason}.`)
  })

  test('is named if nobody wrote a history comment', async () => {
    const prepare = (docs: RepositoryState): unknown => getPull(docs).comments.splice(0)
    const { acceptedPrompts, hostCalls } = await playFollowUp({}, { prepare })
    expect(acceptedPrompts.map(([to]) => to)).toEqual(['create'])
    expect(hostCalls.join('\n')).toContain('it has the label, but no history comment names its job.')
  })

  test.each([
    ['its state was edited', (body: string) => body.replace('"v":1', '"v":"one"')],
    ['its state was cut', (body: string) => `${body.slice(0, 40)} -->`],
  ])('is named and left alone if %s', async (_what, edit) => {
    let edited = ''
    const prepare = (docs: RepositoryState): void => {
      const [comment] = getPull(docs).comments
      if (comment === undefined) throw new Error('There is no comment.')
      comment.body = edit(comment.body)
      edited = comment.body
    }
    const { acceptedPrompts, docs, hostCalls } = await playFollowUp({}, { prepare })
    expect(acceptedPrompts.map(([to]) => to)).toEqual(['create'])
    const preview = await playFollowUp({ 'dry-run': 'true', 'api-key': '' }, { prepare })
    for (const calls of [hostCalls, preview.hostCalls])
      expect(calls.join('\n')).toContain('its history comment was edited and cannot be read')
    expect(getPull(docs).comments.map(({ body }) => body)).toEqual([edited])
  })

  test('is named if it is a newer one', async () => {
    const prepare = (docs: RepositoryState): void => {
      pushCommit(
        docs,
        'other',
        { message: 'x', author: MAINTAINER, files: [], parents: [docs.branches['main'] ?? ''] },
        0,
      )
      openPull(docs, 60, { branch: 'other', user: MAINTAINER, labels: ['docs-agent'] }, 0)
    }
    const { messages, hostCalls } = await playFollowUp({}, { prepare })
    expect(messages).toHaveLength(1)
    expect(hostCalls.join('\n')).toContain('These pull requests also have the label: #60.')
  })
})

describe('history comments by others', () => {
  const comment = (id: number, user: string, jobId: string) => ({
    id,
    user,
    body: renderHistory({ ...startHistory(jobId), followUps: 20 }),
    createdAtMs: 0,
    reactions: [],
  })

  test.each([OUTSIDER, BOT])('of %s do not count, and are left alone, even if they are older', async (user) => {
    const prepare = (docs: RepositoryState): unknown =>
      getPull(docs).comments.unshift(comment(5, user, 'job_finished'), comment(6, user, 'job_archived'))
    const { isGreen, messages, docs } = await playFollowUp({}, { prepare })
    expect([isGreen, messages.length]).toEqual([true, 1])
    const comments = getPull(docs).comments
    expect(comments.slice(0, 2).map(({ body }) => body)).toEqual(
      [5, 6].map((id) => comment(id, user, id === 5 ? 'job_finished' : 'job_archived').body),
    )
    expect(parseHistory(comments.find((one) => one.user === TOKEN_USER)?.body ?? '')).toMatchObject({ followUps: 1 })
  })

  test('name a job that the service proves, whose pull request then gets a history of its own', async () => {
    const others = [comment(5, OUTSIDER, 'job_finished'), comment(6, OUTSIDER, 'job_archived')]
    const bodies = others.map(({ body }) => body)
    const prepare = (docs: RepositoryState): unknown => getPull(docs).comments.splice(0, Infinity, ...others)
    const { isGreen, messages, docs, service } = await playFollowUp({}, { prepare })
    expect([isGreen, messages.length]).toEqual([true, 1])
    expect(service.requests.filter(({ path }) => path.includes('job_archived'))).toEqual([])
    const { comments } = getPull(docs)
    expect(comments.slice(0, 2).map(({ body }) => body)).toEqual(bodies)
    expect(comments.slice(2).map(({ user }) => user)).toEqual([TOKEN_USER])
    expect(parseHistory(comments[2]?.body ?? '')).toMatchObject({ job: 'job_finished', followUps: 1 })
  })
})

test('keeps the author of the pull request out of the choice: only the service proves it', async () => {
  const prepare = (docs: RepositoryState): void => {
    expect(getPull(docs).user).toBe(AGENT_USER)
    Object.assign(getPull(docs), { user: MAINTAINER })
  }
  expect((await playFollowUp({}, { prepare })).messages).toHaveLength(1)
})
