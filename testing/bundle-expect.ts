import { expect } from '@jest/globals'
import type { RunResult } from '../scripts/small-runner/run-action.ts'
import type { Outputs } from '../src/agent/output/outputs.ts'
import type { Outcome } from '../src/agent/record.ts'
import { checkResult } from './check-result.ts'
import type { BundleRun } from './bundle-run.ts'
import { OUTPUT_NAMES } from './report.ts'

export type PackagedRun = RunResult & { readonly inputs: Readonly<Record<string, string>> }

/** The observable results of a step. Whatever is omitted must not occur. */
export interface ExpectedRun {
  readonly conclusion: RunResult['conclusion']
  /** The headline of the summary, with its icon. It is also in the log, or the title of the error of a red step. */
  readonly verdict: string
  /** Texts in the summary, and in the log or in the error of a red step. */
  readonly messageParts?: readonly string[]
  /** A part of the text of each warning and notice, in order. */
  readonly annotationParts?: readonly string[]
  readonly outputs: Readonly<Record<string, unknown>>
}

export interface ExpectedStep extends ExpectedRun {
  /** The outputs that differ from those of a step without a job. */
  readonly outputs: Partial<Outputs> & { readonly outcome: Outcome }
  /** All requests to the service, in order. */
  readonly requests?: readonly string[]
  /** Instead of `requests`, the kinds of requests, if their number depends on time. */
  readonly requestKinds?: readonly string[]
}

const NO_JOB = {
  ...Object.fromEntries(OUTPUT_NAMES.map((name) => [name, ''])),
  changed: 'false',
  result: expect.any(String),
}

/** Checks a run of the agent against the complete contract between a step and the runner. */
export function expectStep(run: BundleRun, { outputs, requests, requestKinds, ...expected }: ExpectedStep): void {
  expectRun(run, { ...expected, outputs: { ...NO_JOB, ...outputs } })
  checkResult(run.outputs)
  if (requestKinds === undefined) expect(run.requests).toEqual(requests)
  else expect(new Set(run.requests)).toEqual(new Set(requestKinds))
  const { prompt } = run.inputs
  if (prompt !== undefined) expect(new Set([...run.prompts, prompt]).size).toBe(1)
}

/** Checks a run whose new job completed with a pull request. */
export function expectPullRequest(
  run: BundleRun,
  { outputs, ...others }: Partial<Omit<ExpectedStep, 'outputs'>> & { readonly outputs?: Partial<Outputs> } = {},
): void {
  expectStep(run, {
    conclusion: 'success',
    verdict: '✅ Pull request opened',
    outputs: {
      // The embedded service has three pull requests from the start.
      'pr-link': `${run.serviceUrl}/acme/docs/pull/4`,
      'pr-number': '4',
      changed: 'true',
      status: 'completed',
      'job-id': 'job_000001',
      ...outputs,
      outcome: 'pull-request',
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
    ...others,
  })
}

/** Checks a run of any action against the contract between a step and the runner. */
export function expectRun(run: PackagedRun, expected: ExpectedRun): void {
  const { conclusion, outputs } = expected
  const isGreen = conclusion === 'success'
  expect(run).toMatchObject({ conclusion, exitCode: isGreen ? 0 : 1, signal: null })
  expect(run.outputs).toEqual(outputs)
  expectMessages(run, expected, isGreen)
  expectSummary(run, expected)
  expectNoOtherOutput(run)
  expectNoSecret(run)
}

/** A red step has one error. A green step has none, and the last line of its log contains the verdict. */
function expectMessages(run: PackagedRun, expected: ExpectedRun, isGreen: boolean): void {
  const { verdict, messageParts = [], annotationParts = [], outputs } = expected
  const title = verdict.slice(verdict.indexOf(' ') + 1)
  const errors = run.annotations.filter(({ level }) => level === 'error')
  const others = run.annotations.filter(({ level }) => level !== 'error').map(({ message }) => message)
  expect(others).toEqual(annotationParts.map((part): unknown => expect.stringContaining(part)))
  expect(errors.map((error) => error.title)).toEqual(isGreen ? [] : [title])
  if (isGreen) expect(run.log.at(-1)?.text).toContain(`] ${title}. `)
  const message = isGreen ? run.log.map(({ text }) => text).join('\n') : errors[0]?.message
  for (const part of [...messageParts, ...listLinks(outputs)]) expect(message).toContain(part)
}

const listLinks = ({ 'pr-link': link }: ExpectedRun['outputs']): string[] =>
  typeof link === 'string' && link !== '' ? [link] : []

/** Returns the headline without what the step belongs to. */
export function getVerdict(summary: string): string | undefined {
  return summary.split('\n')[0]?.replace(/ · Docs (?:agent|visitors).*/, '')
}

/**
 * The headline is the verdict, the only link is the pull request's, the summary contains the texts of the log, and no
 * tag or mention comes from untrusted text.
 */
function expectSummary({ summary }: PackagedRun, { verdict, messageParts = [], outputs }: ExpectedRun): void {
  expect(getVerdict(summary)).toBe(`## ${verdict}`)
  const readable = summary.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
  for (const part of messageParts) expect(readable).toContain(part)

  // In a closed `<pre>` block, neither Markdown nor mentions take effect.
  const alive = summary.replaceAll(/<pre>[^<]*<\/pre>/g, '')
  expect([...alive.matchAll(/\]\(([^)]*)\)/g)].map(([, href]) => href)).toEqual(listLinks(outputs))
  const text = alive
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/<\/?(?:table|tr|td(?: align="right")?|th|b|code|details|summary)>/g, '')
  expect(text).not.toMatch(/[<@]/)
}

/** The output has only masks, annotations, groups and our own lines, and no state is saved. */
function expectNoOtherOutput(run: PackagedRun): void {
  const spoken = run.commands.map(({ name, data }) => ({ name, data }))
  const isMask = ({ name }: { name: string }): boolean => name === 'add-mask'
  expect(run.masks).toEqual(listKeys(run))
  expect(new Set(spoken.filter(isMask).map(({ data }) => data))).toEqual(new Set(listKeys(run)))
  const groups = spoken.map(({ name }) => name).filter((name) => name.endsWith('group'))
  // Groups are not nested, and each is closed.
  expect(groups.join()).toMatch(/^(?:group,endgroup(?:,|$))*$/)
  expect(spoken.filter((command) => !isMask(command) && !command.name.endsWith('group'))).toEqual(
    run.annotations.map(({ level, message }) => ({ name: level, data: message })),
  )
  const foreign = run.log.filter(
    ({ kind, text }) => kind === 'text' && !/^\[ *\d+ (?:s|min|h)[\d hmins]*\] /.test(text),
  )
  expect(foreign).toEqual([])
  expect(run.rawOutput.replaceAll(/\r?\n/g, '')).not.toMatch(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|##\[/u)
  expect(run.state).toEqual({})
}

function listKeys({ inputs }: PackagedRun): string[] {
  return [inputs['api-key'] ?? '', inputs['github-token'] ?? ''].filter((key) => key !== '')
}

/** The output contains no key, plain or encoded, except in the command that masks it. */
export function expectNoSecret(run: PackagedRun): void {
  const written = [
    run.rawOutput.replaceAll(/^::add-mask::.*$/gm, ''),
    ...Object.values(run.rawFiles),
    JSON.stringify(run.log),
  ].join('\n')
  for (const key of listKeys(run))
    for (const encoding of ['utf8', 'base64url', 'hex'] as const)
      expect(written).not.toContain(Buffer.from(key).toString(encoding))
}
