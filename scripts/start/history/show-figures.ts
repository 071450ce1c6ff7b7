import { MAX_CONTEXT_BYTES } from '../../../src/agent/prompt.ts'
import { formatCount } from '../../../src/text/format.ts'
import { quoteName } from '../../../src/text/markdown.ts'
import { alignColumns, cleanForTerminal, type Paint } from '../terminal.ts'
import { type Counts, findBusiestDay, formatDay, groupByReason, listChangedFolders } from './figures.ts'
import type { Shown } from './run-history.ts'

const MAX_REASONS = 3
const MAX_LARGEST = 3
const MAX_FOLDERS = 4

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** As `--merged-after` takes it. */
function formatSpan(ms: number): string {
  if (ms === Infinity) return 'never'
  const [unit, name] = (
    [
      [DAY_MS, 'd'],
      [HOUR_MS, 'h'],
      [MINUTE_MS, 'm'],
    ] as const
  ).find(([one]) => ms % one === 0) ?? [MINUTE_MS, 'm']
  return `${ms / unit}${name}`
}

const formatKib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`
const formatMoney = (amount: number | null): string => amount?.toFixed(2) ?? ''

/** The rows of both triggers. */
function listRows({
  figures,
  options,
  replayed,
}: Shown): readonly (readonly [name: string, one: string, other: string])[] {
  const { alternative, pushes } = figures
  const row = (name: string, get: (of: Counts) => number): [string, string, string] => [
    name,
    String(get(figures)),
    String(get(alternative)),
  ]
  const { price } = options
  const busiest = findBusiestDay(replayed)
  return [
    ['Pushes to the default branch', String(pushes), String(pushes)],
    row('Started no run', (of) => of.not_started),
    row('Runs without a prompt', (of) => of.skipped),
    row('Prompts', (of) => of.prompts),
    row('  of these, follow-ups', (of) => of.follow_ups),
    row('Pull requests', (of) => of.pull_requests),
    row('Red runs', (of) => of.red),
    ...(figures.red + alternative.red === 0
      ? []
      : [['First red run', figures.first_red ?? '–', alternative.first_red ?? '–'] as const]),
    ...(busiest === undefined ? [] : [['Busiest day', `${busiest[0]}: ${busiest[1]}`, ''] as const]),
    ...(price === undefined
      ? []
      : [[`Cost at ${price.toFixed(2)} a prompt`, formatMoney(figures.cost), formatMoney(alternative.cost)] as const]),
  ]
}

/** Lines without Markdown, in the order of importance. Names are between backticks. */
function listProblems({ unused, figures, cancels, event }: Shown): readonly string[] {
  const problems = unused.map(
    ({ pattern, place }) => `${quoteName(pattern)} in ${place} matches no file of the repository.`,
  )
  if (figures.pushes > 0 && figures.not_started === figures.pushes && event === 'push')
    problems.push('No push starts this workflow.')
  if (cancels)
    problems.push(
      '`cancel-in-progress: true` is ignored here. It saves nothing: a cancelled run does not stop the agent.',
    )
  return problems
}

function listReasons({ replayed }: Shown): readonly string[] {
  const { endings } = replayed
  const kinds = [
    ['red', 'red'],
    ['not-started', 'no run'],
    ['skipped', 'no prompt'],
  ] as const
  return kinds.flatMap(([kind, name]) => {
    const groups = groupByReason(endings, kind)
    const further = groups.slice(MAX_REASONS).reduce((sum, [, of]) => sum + of.length, 0)
    const lines = groups.slice(0, MAX_REASONS).map(([reason, of]) => {
      const folders = kind === 'not-started' && reason.includes('matches') ? listChangedFolders(of) : []
      const shown = folders.slice(0, MAX_FOLDERS).map(([folder, pushes]) => `${quoteName(folder)} (${pushes})`)
      const where = shown.length === 0 ? '' : `, mostly in ${shown.join(', ')}`
      return `${of.length} × ${name}: ${reason.replace(/\.$/, '')}${where}.`
    })
    return further === 0 ? lines : [...lines, `${further} × ${name}, for other reasons.`]
  })
}

function listLargest({ largest }: Shown): readonly string[] {
  return largest
    .filter(({ bytes }) => bytes > 0)
    .slice(0, MAX_LARGEST)
    .map(({ bytes, files, commits, leftOut, atMs }) => {
      const missing = leftOut === '' ? '' : `; left out: ${leftOut}`
      return `${formatKib(bytes)} on ${formatDay(atMs)}: ${formatCount(commits, 'commit')}, ${formatCount(files, 'file')}${missing}.`
    })
}

function describeAssumptions({ options }: Shown): string {
  const { jobMs, nothingShare, mergedAfterMs } = options.assumptions
  const merged =
    mergedAfterMs === Infinity ? 'nobody merges' : `somebody merges a pull request after ${formatSpan(mergedAfterMs)}`
  return [
    `Assumed: a job takes ${formatSpan(jobMs)} (--job-minutes), ${nothingShare * 100} % of the prompts change nothing (--no-changes),`,
    `${merged} (--merged-after), all checks pass, and the run before these days was successful.`,
    'A clone has no labels, approvals or accounts: a bot is known by its mail address, and a squashed pull request counts as merged by its author.',
  ].join(' ')
}

function describeSpan({ replay, figures, isOld }: Shown): string {
  const { fileName, untilMs, history } = replay
  const { repository, branch } = history.clone
  const days = formatCount(figures.days, 'day')
  const until = isOld ? `the ${days} before the newest commit, ${formatDay(untilMs)}` : `the last ${days}`
  return `${fileName} on ${until} of ${repository}, branch ${branch}`
}

/** Formats the figures as one screen. */
export function showText(shown: Shown, paint: Paint): string {
  const { event, figures } = shown
  const rows = listRows(shown).map(([name, one, other]) => [name, one, other])
  const table = alignColumns([['', paint('bold', `on ${event}`), `on ${figures.alternative.event} instead`], ...rows])
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0
      ? ''
      : `\n${paint('bold', title)}\n${lines.map((line) => `• ${cleanForTerminal(line)}\n`).join('')}`
  const problems = listProblems(shown).map((line) => `${paint('red', `✘ ${cleanForTerminal(line)}`)}\n`)
  return [
    `${paint('bold', cleanForTerminal(describeSpan(shown)))}\n`,
    problems.length === 0 ? '' : `\n${problems.join('')}`,
    `\n${table.join('\n')}\n`,
    section('Why no prompt was sent', listReasons(shown)),
    section(
      `The largest prompts, with what is added to yours (of at most ${MAX_CONTEXT_BYTES / 1024} KiB)`,
      listLargest(shown),
    ),
    `\n${describeAssumptions(shown)}\n`,
  ].join('')
}

/** Formats the figures as Markdown, to paste into a proposal. */
export function showMarkdown(shown: Shown): string {
  const { event, figures } = shown
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n**${title}**\n\n${lines.map((line) => `- ${line}\n`).join('')}`
  const rows = listRows(shown).map(([name, one, other]) => `| ${name.trim()} | ${one} | ${other} |\n`)
  return [
    `### ${describeSpan(shown)}\n`,
    list('To correct', listProblems(shown)),
    `\n| | on ${event} | on ${figures.alternative.event} instead |\n| --- | ---: | ---: |\n${rows.join('')}`,
    list('Why no prompt was sent', listReasons(shown)),
    list(`The largest prompts (of at most ${MAX_CONTEXT_BYTES / 1024} KiB)`, listLargest(shown)),
    `\n${describeAssumptions(shown)}\n`,
  ].join('')
}
