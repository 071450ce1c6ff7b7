import { formatCount } from '../../text/sentences.ts'
import { someQuoted } from '../../text/markdown.ts'
import type { Step } from '../../action/step.ts'
import { filterFiles, type PathFilter } from '../inputs/path-filter.ts'
import { isEmpty } from '../prompt/change-section.ts'
import type { Compared } from './compare-range.ts'

interface GateAnswer {
  /** What was counted, in one line that is safe to print, with strangers' names between back-ticks. */
  readonly description: string
  /** Why nothing is to be asked of the service, as a full sentence. It is shown as Markdown, so no stranger's text is in it. */
  readonly skipReason?: string
  /** Why the gate stays open though nothing that is listed counts, as a full sentence. */
  readonly doubt?: string
}

/**
 * If none of the files that are listed counts, one that is not listed still may.
 * @throws ActionError `cancelled`
 */
export async function countByPaths(
  { story, comparison, unlisted }: Compared,
  filter: PathFilter | undefined,
  step: Pick<Step, 'clock' | 'signal'>,
): Promise<GateAnswer> {
  const { files, fileList, totalCommits } = comparison
  const inFiles = `${fileList === 'cut' ? 'at least ' : ''}${formatCount(files.length, 'file')}`
  const compared = `${isEmpty(comparison) ? 'No commits' : `${formatCount(totalCommits, 'commit')} in ${inFiles}`}: ${story}.`
  if (filter === undefined) return { description: compared }

  const counted = (await filterFiles(filter, files, step)).length
  const isIgnoring = filter.kind === 'paths-ignore'
  if (counted > 0) {
    const how = isIgnoring ? `${counted === 1 ? 'does' : 'do'} not match` : counted === 1 ? 'matches' : 'match'
    return { description: `${compared} Of these files, ${counted} ${how} \`${filter.kind}\`.` }
  }
  const none = isIgnoring ? 'All files match `paths-ignore`' : 'No file matches `paths`'
  const patterns = someQuoted(filter.rules.map(({ line }) => line))
  const names = files.length === 0 ? '' : ` ${none} (${patterns}): ${someQuoted(files.map(({ path }) => path))}.`
  const description = `${compared}${names}`
  if (unlisted !== undefined)
    return {
      description,
      doubt: `${unlisted}. No listed file matches, but one that is not listed may, so the step is not skipped.`,
    }
  const reason = isIgnoring ? 'All changed files match `paths-ignore`.' : 'No changed file matches `paths`.'
  return {
    description,
    skipReason: isEmpty(comparison) ? 'There are no commits in the range that it looks at.' : reason,
  }
}
