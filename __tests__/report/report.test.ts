import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { AGENT_USER, BOT, MAINTAINER, OUTSIDER, REVIEWER } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import {
  closeIssue,
  mergePull,
  openPull,
  pushCommit,
  writeComment,
} from '../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { VERDICTS } from '../../src/report/verdict.ts'
import { root } from '../support/markdown-files.ts'
import {
  addAgentPull,
  type AgentPull,
  createReleased,
  daysAgo,
  historyComment,
  historyRow,
  isoDaysAgo,
  mergeChange,
  type PlayedReport,
  playReport,
} from '../support/play-report.ts'

const GATE = { 'fail-on': 'no-trace', 'skip-labels': 'no-docs' }

/** Plays a report about the merged pull request #1 and pull requests of the agent from #10 on. */
function playOne(
  pulls: readonly AgentPull[],
  given: Readonly<Record<string, string>> = GATE,
  docs: RepositoryState = mergeChange(createReleased(), 1),
): Promise<PlayedReport> {
  const prepare = (state: GitHubState): void => {
    for (const [index, pull] of pulls.entries()) addAgentPull(state, docs, 10 + index, pull)
  }
  return playReport(given, { docs, prepare })
}

const ROW = historyRow(['#1'])
const failed = historyRow(['#1'], { outcome: 'failed', effect: 'unknown', result: 'the job failed' })
const working = {
  ...historyRow(['#1'], { until: isoDaysAgo(-1) }),
  end: undefined,
  outcome: undefined,
  effect: undefined,
}

interface Case {
  readonly name: string
  readonly pulls: readonly AgentPull[]
  readonly verdict: string
  readonly pull?: number
  readonly isGreen?: boolean
  readonly reason?: string
}

describe('what happened to a merged pull request', () => {
  test.each<Case>([
    {
      name: 'a merged pull request of the agent',
      pulls: [{ rows: [ROW], mergedDaysAgo: 9 }],
      verdict: 'documented-merged',
    },
    { name: 'an open one', pulls: [{ rows: [ROW] }], verdict: 'documented-open' },
    { name: 'a draft', pulls: [{ rows: [ROW], fields: { draft: true } }], verdict: 'documented-open' },
    { name: 'one that was closed', pulls: [{ rows: [ROW], closedDaysAgo: 9 }], verdict: 'documented-closed' },
    {
      name: 'a follow-up that added commits',
      pulls: [{ rows: [historyRow(['#2']), historyRow(['#1'], { effect: 'updated', run: 8 })] }],
      verdict: 'documented-open',
    },
    {
      name: 'a follow-up that changed nothing',
      pulls: [{ rows: [historyRow(['#1'], { effect: 'unchanged' })] }],
      verdict: 'examined-unchanged',
    },
    {
      name: 'a turn without a pull request',
      pulls: [{ rows: [historyRow(['#1'], { outcome: 'no-changes', effect: 'none' })] }],
      verdict: 'examined-unchanged',
    },
    { name: 'a turn that failed', pulls: [{ rows: [failed] }], verdict: 'examined-failed', reason: 'the job failed' },
    {
      name: 'a turn that timed out',
      pulls: [{ rows: [historyRow(['#1'], { outcome: 'timed-out', effect: 'unknown', result: 'timed out' })] }],
      verdict: 'examined-failed',
      reason: 'timed out',
    },
    {
      name: 'a turn whose commits were merged too late',
      pulls: [{ rows: [historyRow(['#1'], { outcome: 'error', effect: 'updated' })], mergedDaysAgo: 9 }],
      verdict: 'examined-failed',
    },
    {
      name: 'a turn whose effect is not known',
      pulls: [{ rows: [historyRow(['#1'], { effect: 'unknown' })] }],
      verdict: 'examined-unknown',
    },
    { name: 'a turn that has not ended', pulls: [{ rows: [working] }], verdict: 'working', isGreen: false },
    {
      name: 'a turn whose run was killed',
      pulls: [{ rows: [{ ...working, until: isoDaysAgo(1) }] }],
      verdict: 'examined-failed',
    },
    {
      name: 'an exemption in a row',
      pulls: [{ rows: [historyRow([], { exempt: ['#1'] })] }],
      verdict: 'exempt',
    },
    {
      name: 'the best of several rows',
      pulls: [
        { rows: [failed, historyRow(['#1'], { run: 8, effect: 'updated' })], mergedDaysAgo: 9 },
        { rows: [failed] },
      ],
      verdict: 'documented-merged',
    },
    {
      name: 'a row about another change',
      pulls: [{ rows: [historyRow(['#2', '#11'])] }],
      verdict: 'no-trace',
      isGreen: false,
    },
    { name: 'no pull request of the agent', pulls: [], verdict: 'no-trace', isGreen: false },
    {
      name: 'a row about the pull request of the same number in another repository',
      pulls: [{ rows: [historyRow(['acme/site#1'])] }],
      verdict: 'no-trace',
      isGreen: false,
    },
    {
      name: 'a history that has dropped rows that may be about it',
      pulls: [{ rows: [historyRow(['#2'])], dropped: 3 }],
      verdict: 'not-readable',
      isGreen: false,
      reason: 'the history of #10 does not name all changes',
    },
    {
      name: 'a history that has dropped rows from before the change',
      pulls: [{ rows: [historyRow(['#2'], { start: isoDaysAgo(30) })], dropped: 3 }],
      verdict: 'no-trace',
      isGreen: false,
    },
    {
      name: 'a row with a hidden source',
      pulls: [{ rows: [historyRow(['#2'], { hidden: 1 })] }],
      verdict: 'not-readable',
      isGreen: false,
    },
    {
      name: 'a hidden source from before the change',
      pulls: [{ rows: [historyRow(['#2'], { hidden: 1, start: isoDaysAgo(26) })] }],
      verdict: 'no-trace',
      isGreen: false,
    },
    {
      name: 'a history that somebody has edited',
      pulls: [{ comment: historyComment([ROW]).replace('"v":1', '"v":2') }],
      verdict: 'not-readable',
      isGreen: false,
      reason: 'somebody has edited the history comment of #10',
    },
  ])('is read from $name: $verdict', async ({ pulls, verdict, isGreen = true, reason, pull = 10 }) => {
    const { result, ...played } = await playOne(pulls)
    const hasPull = !['exempt', 'no-trace', 'not-readable'].includes(verdict)
    const found = result.changes.find(({ number }) => number === 1)
    expect(found).toMatchObject({ verdict, pull_request: hasPull ? pull : null, title: 'Change 1' })
    if (reason !== undefined) expect(found?.reason).toBe(reason)
    expect(played.isGreen).toBe(isGreen)
    expect(played.writes).toEqual([])
  })

  test('is exempt by a label that it has now, in any case', async () => {
    const docs = mergeChange(createReleased(), 1, { labels: ['No-Docs'] })
    const { result, isGreen } = await playOne([], GATE, docs)
    expect([result.changes[0]?.verdict, isGreen]).toEqual(['exempt', true])
  })

  test('is the agent’s own, which is not counted', async () => {
    const { result, title, isGreen } = await playOne([{ rows: [ROW], mergedDaysAgo: 9 }])
    expect(result.changes.map(({ number, verdict }) => [number, verdict])).toEqual([
      [10, 'own'],
      [1, 'documented-merged'],
    ])
    expect([title, isGreen]).toEqual(['The change is accounted for', true])
  })

  test('is the agent’s own by a history of another label', async () => {
    const { result } = await playOne([{ rows: [ROW], mergedDaysAgo: 9, fields: { labels: ['translations'] } }])
    expect(result.changes.map(({ number, verdict }) => [number, verdict])).toEqual([
      [1, 'no-trace'],
      [10, 'own'],
    ])
  })
})

describe('a forged history counts for nothing', () => {
  test.each([
    ['a person without write access', { by: OUTSIDER }, 'no-trace'],
    ['another app', { by: BOT }, 'not-readable'],
    ['the author of the pull request, without write access', { by: OUTSIDER, fields: { user: OUTSIDER } }, 'no-trace'],
    [
      'a person who writes a row below other text',
      { comment: `Hello.\n${historyComment([ROW])}`, by: MAINTAINER },
      'no-trace',
    ],
  ])('by %s', async (_who, fields, verdict) => {
    const { result, isGreen } = await playOne([{ rows: [ROW], mergedDaysAgo: 9, ...fields }])
    expect([result.changes.find(({ number }) => number === 1)?.verdict, isGreen]).toEqual([verdict, false])
  })

  test('and a copy of it does not hide that the history of another app cannot be read', async () => {
    const docs = mergeChange(createReleased(), 1)
    const prepare = (state: GitHubState): void => {
      addAgentPull(state, docs, 10, { rows: [ROW], by: BOT })
      const { 10: pull } = docs.pulls
      if (pull !== undefined) writeComment(state, pull, OUTSIDER, historyComment([]), daysAgo(3))
    }
    const { result } = await playReport(GATE, { docs, prepare })
    expect(result.changes[0]?.verdict).toBe('not-readable')
  })

  test('and one by a person with write access does, as in the action', async () => {
    const { result } = await playOne([{ rows: [ROW], by: REVIEWER, fields: { user: REVIEWER } }])
    expect(result.changes[0]?.verdict).toBe('no-trace')
    const docs = mergeChange(createReleased(), 1)
    docs.collaborators[REVIEWER] = 'write'
    const trusted = await playOne([{ rows: [ROW], by: REVIEWER, fields: { user: REVIEWER } }], GATE, docs)
    expect(trusted.result.changes[0]?.verdict).toBe('documented-open')
  })

  test('and the pull request of a person with the label is not the agent’s', async () => {
    const { result } = await playOne([{ comment: '', fields: { user: MAINTAINER } }])
    expect(result.pull_requests).toMatchObject({ opened: 0, open: 0, merged_share: null })
  })
})

describe('a commit that was pushed directly', () => {
  const push = (docs: RepositoryState) =>
    pushCommit(docs, 'main', { message: 'Fix it\n\nDetails', author: MAINTAINER, files: [] }, daysAgo(25)).sha

  test('is a change of its own, with or without a trace', async () => {
    const docs = createReleased()
    const [first, second] = [push(docs), push(docs)]
    const { result } = await playOne([{ rows: [historyRow([`@${first}`])] }], GATE, docs)
    expect(result.changes).toMatchObject([
      { number: null, sha: second, title: 'Fix it', verdict: 'no-trace' },
      { number: null, sha: first, verdict: 'documented-open' },
    ])
  })

  test('may be what an old row with a hidden source is about, because nobody knows when it was pushed', async () => {
    const docs = createReleased()
    push(docs)
    const row = historyRow([], { hidden: 1, start: isoDaysAgo(59) })
    const { result } = await playOne([{ rows: [row], openedDaysAgo: 59 }], GATE, docs)
    expect(result.changes[0]?.verdict).toBe('not-readable')
    const older = { ...row, start: isoDaysAgo(62) }
    expect((await playOne([{ rows: [older] }], GATE, docs)).result.changes[0]?.verdict).toBe('no-trace')
  })

  test('is evidence for a pull request only if a row has all of its commits', async () => {
    const docs = createReleased()
    pushCommit(docs, 'topic', { message: 'One', author: MAINTAINER, files: [] }, daysAgo(26))
    mergeChange(docs, 1, { branch: 'topic', title: 'Two commits' })
    const rebased = (await playOne([], GATE, docs)).result.changes
    expect(rebased).toMatchObject([{ number: 1, verdict: 'no-trace' }])
    const head = docs.branches['main'] ?? ''
    expect((await playOne([{ rows: [historyRow([`@${head}`])] }], GATE, docs)).result.changes).toMatchObject([
      { number: 1, verdict: 'documented-open' },
    ])
  })
})

describe('what cannot be known is not guessed', () => {
  test('more than 100 look-ups', async () => {
    const docs = createReleased()
    for (let count = 0; count < 103; count++)
      pushCommit(docs, 'main', { message: `Fix ${count}`, author: MAINTAINER, files: [] }, daysAgo(25))
    const { result, isGreen, operations } = await playOne([], GATE, docs)
    expect(result.counts).toMatchObject({ no_trace: 100, not_readable: 3 })
    expect(result.changes.find(({ verdict }) => verdict === 'not-readable')?.reason).toMatch(/more than 100 commits/)
    expect(isGreen).toBe(false)
    expect(operations.length).toBeLessThan(110)
  })

  test('but squashed pull requests need no look-up', async () => {
    const docs = createReleased()
    for (let number = 101; number <= 250; number++) mergeChange(docs, number)
    const { result, operations } = await playOne([{ rows: [historyRow(['#250'])], mergedDaysAgo: 9 }], {}, docs)
    expect(result.counts).toMatchObject({ documented_merged: 1, own: 1, no_trace: 149, not_readable: 0 })
    // The comments of each that has no trace show whether it is the agent's own.
    expect(operations.filter((name) => name !== 'issues/list-comments').length).toBeLessThan(15)
  })

  test.each(['merge', 'rebase'] as const)('and a branch that was merged by %s needs one', async (method) => {
    const docs = createReleased()
    for (let number = 101; number <= 130; number++) {
      const branch = `topic-${number}`
      for (let part = 1; part <= 8; part++)
        pushCommit(docs, branch, { message: `Part ${part} of ${number}`, author: MAINTAINER, files: [] }, daysAgo(25))
      openPull(docs, number, { user: MAINTAINER, branch }, daysAgo(25))
      mergePull(docs, number, MAINTAINER, daysAgo(25), { method })
    }
    const { result, operations } = await playOne([], {}, docs)
    expect(result.counts).toMatchObject({ no_trace: 30, not_readable: 0 })
    expect(operations.filter((name) => name === 'pulls/list-commits')).toHaveLength(30)
  })

  test('commits that GitHub does not list', async () => {
    const docs = createReleased()
    for (let count = 0; count < 601; count++)
      pushCommit(docs, 'main', { message: 'Merge', author: MAINTAINER, files: [] }, daysAgo(25))
    const { result } = await playOne([], {}, docs)
    expect(result.counts).toMatchObject({ no_trace: 100, not_readable: 302 })
    expect(result.changes.length + result.left_out.changes).toBe(402)
  })

  test.each([
    ['of a commit', 'repos/list-pull-requests-associated-with-commit'],
    ['of comments', 'issues/list-comments'],
  ])('a failed request about the pull requests %s', async (_what, operation) => {
    const docs = createReleased()
    pushCommit(docs, 'main', { message: 'Fix it', author: MAINTAINER, files: [] }, daysAgo(25))
    const faults = { [operation]: ['unavailable', 'unavailable', 'unavailable', 'unavailable'] } as const
    const prepare = (state: GitHubState): void => {
      addAgentPull(state, docs, 10, { rows: [] })
    }
    const { result } = await playReport(GATE, { docs, prepare, faults })
    expect(result.changes[0]).toMatchObject({ verdict: 'not-readable', reason: expect.stringContaining('503') })
  })

  test('the comments of a change that may be the agent’s own', async () => {
    const docs = mergeChange(createReleased(), 1)
    const faults = { 'issues/list-comments': ['unavailable', 'unavailable', 'unavailable', 'unavailable'] } as const
    const { result } = await playReport(GATE, { docs, faults })
    expect(result.changes[0]).toMatchObject({ verdict: 'not-readable' })
  })
})

describe('the pull requests in another repository', () => {
  const given = { ...GATE, 'pr-repository': 'acme/site' }

  test.each([
    ['names the repository of the change', ['acme/docs#1'], 0, 'documented-open'],
    ['names it in another case', ['Acme/Docs#1'], 0, 'documented-open'],
    ['names its own pull request of the same number', ['#1'], 0, 'no-trace'],
    ['may not name the change', [], 1, 'not-readable'],
  ])('where a row %s', async (_what, sources, hidden, verdict) => {
    const [docs, site] = [mergeChange(createReleased(), 1), createReleased()]
    const prepare = (state: GitHubState): void => {
      addAgentPull(state, site, 10, { rows: [historyRow(sources, { hidden })] })
    }
    const { result, summary } = await playReport(given, { docs, site, prepare })
    expect(result.changes[0]?.verdict).toBe(verdict)
    expect(summary).toContain('/acme/docs/pull/1"')
    if (verdict === 'documented-open') expect(summary).toContain('/acme/site/pull/10"')
  })

  test('are not the agent’s own work in this one', async () => {
    const [docs, site] = [mergeChange(createReleased(), 10), createReleased()]
    const prepare = (state: GitHubState): void => {
      addAgentPull(state, site, 10, { rows: [historyRow(['acme/docs#9'])] })
    }
    const { result } = await playReport(given, { docs, site, prepare })
    expect(result.changes).toMatchObject([{ number: 10, verdict: 'no-trace' }])
  })
})

describe('the range', () => {
  const publish = (docs: RepositoryState, tag: string, fields: object = {}): void => {
    docs.tags[tag] = docs.branches['main'] ?? ''
    const release = {
      id: docs.releases.length + 1,
      tag,
      by: MAINTAINER,
      createdAtMs: daysAgo(24),
      publishedAtMs: daysAgo(24),
    }
    docs.releases.push({ ...release, ...fields })
  }

  test('begins at the newest published release', async () => {
    const docs = mergeChange(createReleased(), 1)
    publish(docs, 'v1.1.0')
    mergeChange(docs, 2, {}, 23)
    const { result } = await playOne([], {}, docs)
    expect(result.range?.base).toBe('v1.1.0')
    expect(result.changes.map(({ number }) => number)).toEqual([2])
  })

  test.each([
    ['a draft', { publishedAtMs: undefined }, {}],
    [
      'the release of the event',
      {},
      { eventName: 'release', payload: { action: 'published', release: { tag_name: 'v1.1.0' } } },
    ],
  ])('does not begin at %s', async (_what, fields, facts) => {
    const docs = mergeChange(createReleased(), 1)
    publish(docs, 'v1.1.0', fields)
    const { result } = await playReport({}, { docs, facts })
    expect(result.range?.base).toBe('v1.0.0')
    expect(result.changes).toHaveLength(1)
  })

  test('can be given', async () => {
    const docs = mergeChange(mergeChange(createReleased(), 1), 2)
    const { result } = await playOne([], { range: 'v1.0.0...main~'.replace('~', '') }, docs)
    expect(result).toMatchObject({ range: { base: 'v1.0.0', head: 'main' }, counts: { no_trace: 2 } })
  })

  test('without a release only the pull requests of the agent are reported, unless the gate needs it', async () => {
    const docs = createReleased()
    docs.releases.length = 0
    const open = await playOne([{ rows: [] }], {}, docs)
    expect([open.isGreen, open.title, open.advice]).toEqual([
      true,
      'No release to begin at',
      'Set `range` to `BASE...HEAD`.',
    ])
    expect(open.result).toMatchObject({ range: null, counts: null, pull_requests: { open: 1 } })
    const gate = await playOne([{ rows: [] }], GATE, docs)
    expect([gate.isGreen, gate.advice]).toEqual([false, 'Set `range` to `BASE...HEAD`.'])
  })

  test('that is empty is green', async () => {
    const { isGreen, title } = await playOne([], GATE, createReleased())
    expect([isGreen, title]).toEqual([true, 'Nothing was merged'])
  })

  test('that ends before it begins stops the gate', async () => {
    const docs = mergeChange(createReleased(), 1)
    const range = { range: 'main...v1.0.0' }
    const gate = await playOne([], { ...GATE, ...range }, docs)
    expect([gate.isGreen, gate.result.error?.message]).toEqual([
      false,
      'The range is empty, because `main` is newer than `v1.0.0`.',
    ])
    expect((await playOne([], range, docs)).title).toBe('Nothing was merged')
  })

  test('that does not exist is red', async () => {
    const { isGreen, result } = await playOne([], { range: 'v9...main' })
    expect([isGreen, result.error?.code]).toEqual([false, 'not-found'])
  })
})

test.each([{}, { contents: 'read' }, { 'pull-requests': 'read' }] as const)(
  'a token with %j is red, with both permissions to paste',
  async (permissions) => {
    const docs = mergeChange(createReleased(), 1)
    const prepare = (state: GitHubState): void => {
      state.permissions = permissions
    }
    const { isGreen, advice, result } = await playReport({}, { docs, prepare })
    expect([isGreen, result.error?.code]).toEqual([false, 'forbidden'])
    expect(advice).toContain('`permissions: { contents: read, pull-requests: read }`')
  },
)

test.each<[fault: GitHubFault, title: string, advice: string]>([
  [401, 'Invalid token', 'Check `github-token`.'],
  [403, 'The token lacks a permission', ''],
  ['reset', 'No response from GitHub', 'Check the proxy'],
  ['long-limit', 'Too many requests', 'Run the step again in an hour'],
])('an error speaks of GitHub and the token: %s', async (fault, title, advice) => {
  const faults = { 'pulls/list': Array.from({ length: 20 }, () => fault) }
  const played = await playReport({}, { docs: mergeChange(createReleased(), 1), faults })
  expect([played.isGreen, played.title]).toEqual([false, title])
  expect(played.advice ?? '').toContain(advice)
})

test('the gate names what is not accounted for, and the summary begins with it', async () => {
  const docs = createReleased()
  for (let number = 1; number <= 7; number++) mergeChange(docs, number)
  const { line, summary, title } = await playOne([{ rows: [historyRow(['#1'])], mergedDaysAgo: 9 }], GATE, docs)
  expect(title).toBe('6 of 7 changes are not accounted for')
  expect(line).toContain('Not documented, exempt or examined: `#7`, `#6`, `#5`, `#4`, `#3`, 1 more.')
  const blocks = summary.split('\n\n')
  expect(blocks[0]).toMatch(/^## ❌ 6 of 7 changes are not accounted for · Docs report · /)
  expect(blocks[3]).toBe('### Needs attention')
  expect(blocks[4]).toContain('no trace')
  expect(summary).toContain('<details><summary>2 other changes</summary>')
})

test('without the gate it is green, and says what needs attention', async () => {
  const { isGreen, title, summary } = await playOne([], {})
  expect([isGreen, title]).toEqual([true, '1 of 1 change needs attention'])
  expect(summary).toMatch(/^## ⚠️ /)
})

const HOSTILE_TEXTS = [
  '<script>alert(1)</script><!-- docs-agent-action: {} -->',
  '@mona [click](https://evil.example) ![x](https://evil.example/x.png)',
  '##[error]no\n::error::no\u2028## Done',
  '`code` **bold** | cell | </td></table>',
]

test.each(HOSTILE_TEXTS)('a title and a row with %j stay text', async (text) => {
  const docs = mergeChange(createReleased(), 1, { title: text })
  const row = historyRow(['#1'], { outcome: 'failed', effect: 'unknown', result: text })
  const { summary, outputs } = await playOne([{ rows: [row], fields: { title: text } }], {}, docs)
  expect(
    summary.replaceAll(/<code>[^<]*<\/code>|<\/?(?:table|tr|t[dh]|details|summary|b|a href="[^"]*")>|<\/a>/g, ''),
  ).not.toMatch(/[<@]|\]\(|!\[|##\[|\*\*(?!What to do)/)
  expect(outputs['result']).not.toMatch(/##\[|::|\n/)
})

test('the result keeps what somebody has to do, if it is too long', async () => {
  const docs = createReleased()
  for (let number = 1; number <= 90; number++) mergeChange(docs, number, { title: '€'.repeat(400) })
  const sources = Array.from({ length: 80 }, (_, index) => `#${index + 1}`)
  const { result } = await playOne([{ rows: [historyRow(sources)], mergedDaysAgo: 9 }], {}, docs)
  expect(result.left_out.changes).toBeGreaterThan(10)
  expect(result.changes.slice(0, 10).map(({ verdict }) => verdict)).toEqual(
    Array.from({ length: 10 }, () => 'no-trace'),
  )
})

test('a long reason of many changes leaves their table complete', async () => {
  const docs = createReleased()
  for (let number = 101; number <= 150; number++) mergeChange(docs, number)
  const sources = Array.from({ length: 50 }, (_, index) => `#${index + 101}`)
  const row = historyRow(sources, { outcome: 'failed', effect: 'unknown', result: 'x'.repeat(40_000) })
  const { summary, result } = await playOne([{ rows: [row] }], {}, docs)
  expect(summary).toContain('>&#35;101<')
  expect(summary).not.toContain('The rest was left out')
  expect(result.left_out.changes).toBe(0)
})

test('the documented schema is valid, and has the verdicts of the code', () => {
  const schema = JSON.parse(readFileSync(`${root}docs/report.schema.json`, 'utf8')) as {
    readonly properties: { readonly changes: { readonly items: { readonly properties: { readonly verdict: object } } } }
  }
  expect(new Ajv2020().validateSchema(schema)).toBe(true)
  expect(schema.properties.changes.items.properties.verdict).toMatchObject({ enum: VERDICTS })
})

test('pull requests that a long list lacks are not counted as none', async () => {
  const docs = mergeChange(createReleased(), 1)
  const { summary, result } = await playReport(
    { days: '90' },
    {
      docs,
      prepare(state) {
        addAgentPull(state, docs, 10, { rows: [historyRow(['#1'])], mergedDaysAgo: 19 })
        pushCommit(docs, 'topic', { message: 'Begin', author: MAINTAINER, files: [] }, daysAgo(15))
        for (let number = 101; number <= 1_100; number++) {
          const pull = openPull(docs, number, { title: 'Topic', user: MAINTAINER, branch: 'topic' }, daysAgo(15))
          closeIssue(docs, pull, daysAgo(9))
        }
      },
    },
  )
  const missing = `Those that were last updated before ${isoDaysAgo(9).slice(0, 10)} are missing`
  expect(result.pull_requests).toMatchObject({ merged: 0, complete_since: expect.stringMatching(/Z$/) })
  expect([result.text, summary]).toEqual([expect.stringContaining(missing), expect.stringContaining(missing)])
})

test('a cancelled run is red, and says so at once', async () => {
  const { isGreen, title, result } = await playReport(GATE, { cancelAfterMs: 3_500 })
  expect([isGreen, title, result.error?.code]).toEqual([false, 'Cancelled', 'cancelled'])
  expect(result.duration_seconds).toBeLessThan(4)
})

test('it reads only, with few requests', async () => {
  const docs = mergeChange(mergeChange(createReleased(), 1), 2)
  const { operations, writes } = await playOne(
    [{ rows: [historyRow(['#1', '#2'])], mergedDaysAgo: 9, laterCommits: [AGENT_USER] }],
    {},
    docs,
  )
  expect(writes).toEqual([])
  expect(operations.length).toBeLessThanOrEqual(7)
})
