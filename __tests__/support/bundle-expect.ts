import { expect } from '@jest/globals'
import type { RunResult } from '../../scripts/small-runner/run-action.ts'
import type { Outputs } from '../../src/agent/report/outputs.ts'
import type { Outcome } from '../../src/agent/report/report.ts'
import { checkResult } from './check-result.ts'
import type { BundleRun } from './bundle-run.ts'
import { OUTPUT_NAMES } from './report.ts'

export type PackagedRun = RunResult & { readonly inputs: Readonly<Record<string, string>> }

/** What can be seen of any step from outside. What is left out here must not have happened. */
export interface ExpectedRun {
  readonly conclusion: RunResult['conclusion']
  /** The summary's headline with its icon. Its words also stand in the log, or above the error of a red step. */
  readonly verdict: string
  /** What the log, or the error of a red step, has to say, and the summary as well. */
  readonly messageParts?: readonly string[]
  /** A part of the text of each warning and notice. */
  readonly annotationParts?: readonly string[]
  readonly outputs: Readonly<Record<string, unknown>>
}

export interface ExpectedStep extends ExpectedRun {
  /** The outputs, where they differ from those of a step that has no job. */
  readonly outputs: Partial<Outputs> & { readonly outcome: Outcome }
  /** Every request in order; in place of that, which kinds there were, where time decides how often the service is asked. */
  readonly requests?: readonly string[]
  readonly requestKinds?: readonly string[]
}

const NO_JOB = {
  ...Object.fromEntries(OUTPUT_NAMES.map((name) => [name, ''])),
  changed: 'false',
  'duration-seconds': expect.stringMatching(/^\d+\.\d$/),
  result: expect.any(String),
}

/** Holds a run of the agent against the whole contract between a step and the runner. */
export function expectStep(run: BundleRun, { outputs, requests, requestKinds: asks, ...expected }: ExpectedStep): void {
  expectRun(run, { ...expected, outputs: { ...NO_JOB, ...outputs } })
  checkResult(run.outputs)
  if (asks === undefined) expect(run.requests).toEqual(requests)
  else expect(new Set(run.requests)).toEqual(new Set(asks))
  const { prompt } = run.inputs
  if (prompt !== undefined) expect(new Set([...run.prompts, prompt]).size).toBe(1)
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
      // The first three belong to the jobs that the embedded service begins with.
      'pr-link': `${run.serviceUrl}/acme/docs/pull/4`,
      'pr-number': '4',
      'pr-repository': 'acme/docs',
      'pr-operation': 'created',
      changed: 'true',
      status: 'completed',
      'job-id': 'job_000001',
      model: 'docs-writer-1',
      ...outputs,
      outcome: 'pull-request',
    },
    requests: ['POST job', 'GET job/job_000001', 'GET job/job_000001'],
    ...others,
  })
}

/** Holds a run of any action against the contract between a step and the runner. */
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

/** One error where the step is red, and none where it is green: there the log's last line tells the verdict. */
function expectMessages(run: PackagedRun, expected: ExpectedRun, isGreen: boolean): void {
  const { verdict, messageParts: says = [], annotationParts: remarks = [], outputs } = expected
  const title = verdict.slice(verdict.indexOf(' ') + 1)
  const errors = run.annotations.filter(({ level }) => level === 'error')
  const others = run.annotations.filter(({ level }) => level !== 'error').map(({ message }) => message)
  expect(others).toEqual(remarks.map((part): unknown => expect.stringContaining(part)))
  expect(errors.map((error) => error.title)).toEqual(isGreen ? [] : [title])
  if (isGreen) expect(run.log.at(-1)?.text).toContain(`] ${title}. `)
  const message = isGreen ? run.log.map(({ text }) => text).join('\n') : errors[0]?.message
  for (const part of [...says, ...listLinks(outputs)]) expect(message).toContain(part)
}

const listLinks = ({ 'pr-link': link }: ExpectedRun['outputs']): string[] =>
  typeof link === 'string' && link !== '' ? [link] : []

/** The headline, without the words for which step it is. */
export function getVerdict(summary: string): string | undefined {
  return summary.split('\n')[0]?.replace(/ Docs (?:agent|visitors)(?: · [^:]*)?: /, ' ')
}

/**
 * The headline is the verdict, the only link is that of the pull request, what the log says is said here too, and no tag
 * or mention comes from anybody else.
 */
function expectSummary({ summary }: PackagedRun, { verdict, messageParts: says = [], outputs }: ExpectedRun): void {
  expect(getVerdict(summary)).toBe(`## ${verdict}`)
  const readable = summary.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
  for (const part of says) expect(readable).toContain(part)

  // In a closed block of plain text neither Markdown nor mentions come alive.
  const alive = summary.replaceAll(/<pre>[^<]*<\/pre>/g, '')
  expect([...alive.matchAll(/\]\(([^)]*)\)/g)].map(([, href]) => href)).toEqual(listLinks(outputs))
  const text = alive
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/<\/?(?:table|tr|td(?: align="right")?|th|b|code|details|summary)>/g, '')
  expect(text).not.toMatch(/[<@]/)
}

/** No command but the masks, the annotations and debug lines; no line that is not ours; no other file of the runner. */
function expectNoOtherOutput(run: PackagedRun): void {
  const spoken = run.commands.filter(({ name }) => name !== 'debug').map(({ name, data }) => ({ name, data }))
  const isMask = ({ name }: { name: string }): boolean => name === 'add-mask'
  expect(run.masks).toEqual(listKeys(run))
  expect(new Set(spoken.filter(isMask).map(({ data }) => data))).toEqual(new Set(listKeys(run)))
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
  expect(run.state).toEqual({})
}

function listKeys({ inputs }: PackagedRun): string[] {
  return [inputs['api-key'] ?? '', inputs['github-token'] ?? ''].filter((key) => key !== '')
}

/** The key is in nothing that the step wrote, raw or encoded, but in the command that masks it. */
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
