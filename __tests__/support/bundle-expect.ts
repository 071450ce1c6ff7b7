import { expect } from '@jest/globals'
import { OUTPUT_NAMES, type Outputs } from '../../src/agent/report/outputs.ts'
import type { Outcome } from '../../src/agent/report/report.ts'
import { checkResult } from './check-result.ts'
import type { BundleRun } from './bundle-run.ts'

/** All that can be seen of a step from outside. What is left out here must not have happened. */
export interface ExpectedStep {
  readonly conclusion: BundleRun['conclusion']
  /** The summary's headline with its icon. Its words also stand in the log, or above the error of a red step. */
  readonly verdict: string
  /** What the log, or the error of a red step, has to say, and the summary as well. */
  readonly says?: readonly string[]
  /** The outputs, where they differ from those of a step that has no job. */
  readonly outputs: Partial<Outputs> & { readonly outcome: Outcome }
  /** Every request in order, or where time decides how often the service is asked: the POSTs, and the one kind of read. */
  readonly requests: readonly string[] | { readonly posts: readonly string[]; readonly reads: string }
  /** A part of the text of each warning. */
  readonly warnings?: readonly string[]
  readonly summary?: 'written' | 'none'
}

type PullRequestOutputs = Pick<Outputs, 'pr-link' | 'pr-number' | 'pr-repository' | 'changed' | 'pr-operation'>

/** The outputs about pull request `number` of the embedded service, whose first three belong to the jobs it begins with. */
export function pullRequestOutputs(
  { serviceUrl }: BundleRun,
  number: number,
  task: 'create' | 'follow-up' | 'attach' = 'create',
): PullRequestOutputs {
  return {
    'pr-link': `${serviceUrl}/acme/docs/pull/${number}`,
    'pr-number': String(number),
    'pr-repository': 'acme/docs',
    // Nobody asks GitHub here, so what a follow-up has changed is not known.
    changed: task === 'follow-up' ? '' : 'true',
    'pr-operation': task === 'create' ? 'created' : '',
  }
}

/** The same read, several times in a row. */
export function times(count: number, request: string): string[] {
  return Array.from({ length: count }, () => request)
}

const NO_JOB = {
  ...Object.fromEntries(OUTPUT_NAMES.map((name) => [name, ''])),
  changed: 'false',
  'duration-seconds': expect.stringMatching(/^\d+\.\d$/),
  result: expect.any(String),
}

/** Holds a run against the whole contract between a step and the runner. */
export function expectStep(run: BundleRun, expected: ExpectedStep): void {
  expect({ conclusion: run.conclusion, exitCode: run.exitCode, signal: run.signal }).toEqual({
    conclusion: expected.conclusion,
    exitCode: expected.conclusion === 'success' ? 0 : 1,
    signal: null,
  })
  expect(run.outputs).toEqual({ ...NO_JOB, ...expected.outputs })
  checkResult(run.outputs)
  expectRequests(run, expected)
  expectMessages(run, expected)
  expectSummary(run, expected)
  expectNothingElse(run)
  expectNoSecret(run)
}

/** The usual end of a new job: everything went well, and its pull request is there. */
export function expectPullRequest(
  run: BundleRun,
  { outputs, ...others }: Partial<Omit<ExpectedStep, 'outputs'>> & { readonly outputs?: Partial<Outputs> } = {},
): void {
  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ Pull request opened',
    outputs: {
      ...{ status: 'completed', 'job-id': 'job_000001', model: 'docs-writer-1' },
      ...{ ...pullRequestOutputs(run, 4), ...outputs, outcome: 'pull-request' },
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
    ...others,
  })
}

function expectRequests({ requests, prompts, inputs }: BundleRun, { requests: expected }: ExpectedStep): void {
  if ('posts' in expected) {
    expect(requests.filter((request) => request.startsWith('POST '))).toEqual(expected.posts)
    expect(new Set(requests.filter((request) => !request.startsWith('POST ')))).toEqual(new Set([expected.reads]))
  } else expect(requests).toEqual(expected)
  if (inputs['prompt'] !== undefined) expect(new Set([...prompts, inputs['prompt']]).size).toBe(1)
}

/** `✅ Pull request opened` without its icon. */
function titleOf(verdict: string): string {
  return verdict.slice(verdict.indexOf(' ') + 1)
}

/** One error where the step is red, and none where it is green: there the log's last line tells the verdict. */
function expectMessages(run: BundleRun, { conclusion, verdict, says = [], ...expected }: ExpectedStep): void {
  const title = titleOf(verdict)
  const textsOf = (wanted: string): string[] =>
    run.annotations.filter(({ level }) => level === wanted).map(({ message }) => message)
  expect(textsOf('warning')).toEqual((expected.warnings ?? []).map(containing))
  expect(textsOf('notice')).toEqual([])

  const errors = run.annotations.filter(({ level }) => level === 'error')
  const isGreen = conclusion === 'success'
  expect(errors.map((error) => error.title)).toEqual(isGreen ? [] : [title])
  if (isGreen) expect(run.log.at(-1)?.text).toContain(`] ${title}. `)
  const message = isGreen ? run.log.map(({ text }) => text).join('\n') : errors[0]?.message
  const link = expected.outputs['pr-link']
  for (const part of link === undefined ? says : [...says, link]) expect(message).toContain(part)
}

function containing(part: string): unknown {
  return expect.stringContaining(part)
}

/** The headline, without the words for which step it is. */
export function verdictIn(summary: string): string | undefined {
  return summary.split('\n')[0]?.replace(/ Docs (?:agent|visitors)(?: · [^:]*)?: /, ' ')
}

/**
 * The headline is the verdict, the only link is that of the pull request, what the log says is said here too, and no tag
 * or mention comes from anybody else.
 */
function expectSummary({ summary }: BundleRun, { verdict, says = [], outputs, ...expected }: ExpectedStep): void {
  if (expected.summary === 'none') {
    expect(summary).toBe('')
    return
  }
  expect(verdictIn(summary)).toBe(`## ${verdict}`)
  const readable = summary.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
  for (const part of says) expect(readable).toContain(part)

  const links = [...outsideOfPre(summary).matchAll(/\]\(([^)]*)\)/g)].map(([, href]) => href)
  expect(links).toEqual(outputs['pr-link'] === undefined ? [] : [outputs['pr-link']])
  const text = outsideOfPre(summary)
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/<\/?(?:table|tr|td|th|b|code|details|summary)>/g, '')
  expect(text).not.toMatch(/[<@]/)
}

/** A closed block of plain text, in which neither Markdown nor mentions come alive. */
function outsideOfPre(markdown: string): string {
  return markdown.replaceAll(/<pre>[^<]*<\/pre>/g, '')
}

/** No command but the masks, the annotations and debug lines; no line that is not ours; no other file of the runner. */
function expectNothingElse(run: BundleRun): void {
  const spoken = run.commands.filter(({ name }) => name !== 'debug').map(({ name, data }) => ({ name, data }))
  const isMask = ({ name }: { name: string }): boolean => name === 'add-mask'
  expect(run.masks).toEqual(keysOf(run))
  expect(new Set(spoken.filter(isMask).map(({ data }) => data))).toEqual(new Set(keysOf(run)))
  const groups = spoken.map(({ name }) => name).filter((name) => name.endsWith('group'))
  // They never nest, and each is closed.
  expect(groups.join()).toMatch(/^(?:group,endgroup(?:,|$))*$/)
  expect(spoken.filter((command) => !isMask(command) && !command.name.endsWith('group'))).toEqual(
    run.annotations.map(({ level, message }) => ({ name: level, data: message })),
  )
  const foreign = run.log.filter(
    ({ kind, text }) => kind === 'text' && !/^\[ *\d+ (?:s|min|h)[\d hmins]*\] /.test(text),
  )
  expect(foreign).toEqual([])
  expect(run.rawOutput.replaceAll(/\r?\n/g, '')).not.toMatch(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|##\[/u)
  expect(run.rawFiles).toMatchObject({ GITHUB_ENV: '', GITHUB_PATH: '', GITHUB_STATE: '' })
}

function keysOf({ inputs }: BundleRun): string[] {
  return [inputs['api-key'] ?? '', inputs['github-token'] ?? ''].filter((key) => key !== '')
}

/** The key is in nothing that the step wrote, raw or encoded, but in the command that masks it. */
export function expectNoSecret(run: BundleRun): void {
  const written = [
    run.rawOutput.replaceAll(/^::add-mask::.*$/gm, ''),
    ...Object.values(run.rawFiles),
    JSON.stringify(run.log),
  ].join('\n')
  for (const key of keysOf(run)) {
    for (const encoding of ['utf8', 'base64url', 'hex'] as const) {
      expect(written).not.toContain(Buffer.from(key).toString(encoding))
    }
  }
}
