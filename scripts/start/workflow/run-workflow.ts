import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { openScratchFolder } from '../../small-runner/scratch-folder.ts'
import { openEmbedded } from '../embedded.ts'
import { markdownToTerminal } from '../markdown-to-terminal.ts'
import { REAL_IS_LEFT, type EventChoice, type WorkflowOptions } from '../options.ts'
import { heading, showInputs, showSections } from '../report.ts'
import { openSession, type Session, type Terminal } from '../session.ts'
import { isOnComment, type StoryEvent } from '../stories.ts'
import { cleanForTerminal } from '../terminal.ts'
import { createDemoValues, createGitHubContext, createInputs } from './contexts.ts'
import { chooseComment, choosePage, findAllowedPage } from './demo-content.ts'
import { DEFAULT_FILES, FIRST_RUN, noteSuccess, pushChange, triggerEvent } from './events.ts'
import { listAdvice } from './advice.ts'
import { GivenOutputs } from './given-outputs.ts'
import { findReaderRepository, type ReaderRepository } from './reader-repository.ts'
import { enterGroup, runJobs } from './run-job.ts'
import type { RunContext, StepRun } from './run-model.ts'
import { chooseCron, chooseTriggers, decide, isEventName, type RunnableTrigger } from './triggers.ts'
import { readMarkdownWorkflow } from './markdown-workflow.ts'
import { readWorkflow, type Workflow } from './workflow-file.ts'

type Texts = Readonly<Record<string, string>>

const DAY_MS = 86_400_000
/** Whatever they are, the steps use the embedded service. */
const REPLACED_VARIABLES: readonly string[] = ['DOCS_AGENT_BASE_URL', 'DOCS_AGENT_PROJECT_ID']

/** @param ordinal counts the events of the command from 1 */
function getChoice(options: WorkflowOptions, ordinal: number): EventChoice {
  const own = options.events[ordinal - 1]
  const { comment } = listStory(options)?.[ordinal - 1] ?? {}
  return {
    ...options,
    ...(comment !== undefined && { comment }),
    ...own,
    changed: [...options.changed, ...(own?.changed ?? [])],
  }
}

/** What happens before the runs of the README's workflow, unless the command line names events. */
const listStory = ({ example, events }: WorkflowOptions): readonly StoryEvent[] | undefined =>
  events.length === 0 ? example?.story : undefined

/** A comment starts the README's workflow in a story, although its file does not say so. */
const COMMENTED: RunnableTrigger = { event: 'issue_comment', line: 1, filters: {} }

function listTriggers(options: WorkflowOptions, { triggers }: Workflow): readonly RunnableTrigger[] {
  const names = options.events.map(({ name }) => name)
  const chosen = chooseTriggers(triggers, names)
  return listStory(options)?.flatMap((event) => (isOnComment(event) ? COMMENTED : chosen)) ?? chosen
}

interface Course extends Pick<RunContext, 'embedded' | 'session' | 'project' | 'scratch' | 'outputs' | 'onStep'> {
  readonly options: WorkflowOptions
  readonly workflow: Workflow
  /** Of the workflow file. */
  readonly path: string
  readonly fileName: string
  readonly repository: ReaderRepository
  readonly vars: unknown
  /** The number of events. */
  readonly total: number
}

/**
 * @param ordinal counts the events of the command from 1
 * @returns undefined if the event cannot start the workflow, whatever the files of the change
 */
async function runEvent(
  course: Course,
  trigger: RunnableTrigger,
  ordinal: number,
): Promise<readonly StepRun[] | undefined> {
  const { options, workflow, embedded, session, repository } = course
  const { print, paint, offer } = session
  const choice = getChoice(options, ordinal)
  const { changed, ref: chosenRef } = choice
  const files = changed.length === 0 ? DEFAULT_FILES : changed
  const { event } = trigger
  const which =
    course.total === 1 ? '' : ` (event ${ordinal} of ${course.total}${ordinal === 1 ? '' : ', a day later'})`
  const story = listStory(options)?.[ordinal - 1]
  pushChange({ trigger, ordinal, files, story }, repository.name, embedded)
  const { defaultBranch } = repository
  const cron = chooseCron(trigger, choice.schedule)
  const decision = decide(trigger, files, {
    ordinal,
    defaultBranch,
    ...(chosenRef !== undefined && { ref: chosenRef }),
  })
  if (!decision.starts) {
    const { reason, example, dependsOnFiles } = decision
    const refusal = 'GitHub would not start this workflow'
    print(
      `${heading(event + which, paint)}${dependsOnFiles ? `○ ${refusal}` : paint('red', `✘ ${refusal}`)}: ${reason}.\n`,
    )
    if (example !== undefined && changed.length === 0)
      print(
        course.total === 1
          ? `\nTo try a change of other files:${offer('--changed', example)}\n`
          : `To try a change of other files, add this after the event: --changed ${cleanForTerminal(example)}\n`,
      )
    return dependsOnFiles ? [] : undefined
  }
  const inputs = event === 'workflow_dispatch' ? createInputs(workflow.inputs, options.inputs) : {}
  const { comment, isOnPullRequest = false } = choice
  const usualComment = chooseComment(workflow)
  const commented = { comment, usualComment, isOnPullRequest }
  const planned = { trigger, ref: decision.ref, ordinal, files, inputs, cron, story, ...commented }
  const triggered = triggerEvent(planned, repository.name, embedded)
  const { payload, ref, sha } = triggered
  const title = triggered.title + which
  const shown = Object.entries(inputs).map(([name, value]) => [name, String(value)] as const)
  print(`${heading(title, paint)}${showInputs(Object.fromEntries(shown))}`)
  if (shown.some(([name, value]) => value === `demo-${name}`)) print(`Choose other inputs with --input.\n`)

  const id = FIRST_RUN + ordinal - 1
  // The workflow's own token gives access to its own repository only.
  const token = `${embedded.github.token}:${repository.name}`
  const name = workflow.name ?? `.github/workflows/${course.fileName}`
  const { github, variables } = createGitHubContext(
    { event, payload, ref, sha, id, number: ordinal, workflow: name, repository: repository.name },
    { token, workspace: repository.folder, server_url: embedded.url, api_url: embedded.github.apiUrl },
  )
  const context: RunContext = {
    ...course,
    contexts: { github, vars: course.vars, secrets: createDemoValues({ GITHUB_TOKEN: token }), inputs },
    env: workflow.env,
    variables,
    eventName: event,
    payload,
    workspace: repository.folder,
    token,
    given: { ...story?.inputs, ...options.example?.inputs },
    isDryRun: options.isDryRun,
    showsAll: options.showsAll,
    speed: options.service.speed,
    depth: 1,
    groups: [],
  }
  const startedAtMs = embedded.now()
  const groups = enterGroup(workflow.concurrency, context, { contexts: context.contexts, status: 'success' }, '')
  const ends = await runJobs({ ...context, groups }, workflow.jobs)
  const isGreen = [...ends.values()].every(({ result }) => result === 'success' || result === 'skipped')
  if (isGreen) noteSuccess(embedded.github.state, { id, event, headSha: sha }, startedAtMs)
  return [...ends.values()].flatMap(({ stepRuns }) =>
    stepRuns.map((one) => ({ ...one, title: `${title} › ${one.title}` })),
  )
}

/** Shows the verdict of each step, and what the reader can try next. */
function showConclusion(
  { print, paint }: Session,
  { options, workflow, path, outputs }: Course,
  stepRuns: readonly StepRun[],
  { demoVars, triggers }: { readonly demoVars: ReadonlySet<string>; readonly triggers: readonly RunnableTrigger[] },
): void {
  print(heading('Conclusion', paint))
  if (stepRuns.length === 0) print('○ No step of this action ran.\n')
  for (const { title, verdict } of stepRuns) print(`${cleanForTerminal(title)}\n  ${verdict}`)
  const isSkippedByPaths = stepRuns.some(({ outputs, inputs }) => inputs['paths'] && outputs['outcome'] === 'skipped')
  if (isSkippedByPaths && triggers.every((_, index) => getChoice(options, index + 1).changed.length === 0))
    print(`The change had ${DEFAULT_FILES.join(', ')}. Choose other files with --changed.\n`)
  for (const line of listAdvice(stepRuns, triggers, workflow, path)) print(`${cleanForTerminal(line)}\n`)
  if (outputs.hints.size > 0)
    print(`To choose outputs that only GitHub knows: ${cleanForTerminal([...outputs.hints].join(' '))}\n`)
  for (const name of outputs.listUnused())
    print(`--output ${cleanForTerminal(name)} was not used: no step or job with this id was reached.\n`)
  const demo = [...demoVars].filter((name) => !REPLACED_VARIABLES.includes(name))
  if (demo.length > 0)
    print(
      `Demo values: ${cleanForTerminal(demo.map((name) => `vars.${name} is demo-${name}`).join(', '))}. Choose others with --var.\n`,
    )
  const hasDefault = workflow.jobs.some(({ permissions, steps }) => permissions === undefined && steps.length > 0)
  if (hasDefault && stepRuns.length > 0)
    print('Without `permissions`, the token had the default of new repositories: contents: read.\n')
  const others = workflow.triggers
    .filter(({ event }) => isEventName(event) && triggers.every((one) => one.event !== event))
    .map(({ event }) => `${event} (add \`--event ${event}\`)`)
  const crons = triggers.map((trigger, index) => chooseCron(trigger, getChoice(options, index + 1).schedule))
  const otherCrons = triggers
    .flatMap(({ filters }) => filters['cron']?.patterns ?? [])
    .filter((cron, index, all) => !crons.includes(cron) && all.indexOf(cron) === index)
    .map((cron) => `${cron} (add \`--schedule '${cron}'\`)`)
  if (others.length + otherCrons.length > 0)
    print(`Not run: ${cleanForTerminal([...others, ...otherCrons].join(', '))}\n`)
}

/** Reads a workflow file, or the workflow in a page of Markdown. */
async function readFile(file: string): Promise<Pick<Course, 'workflow' | 'fileName'>> {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`There is no file ${file}.`)
  if (stats.isDirectory()) throw new Error(`${file} is a folder. Name one file in it.`)
  const [name, text] = [basename(file), readFileSync(file, 'utf8')]
  if (!name.endsWith('.md')) return { workflow: await readWorkflow(name, text), fileName: name }
  return { workflow: await readWorkflow(name, readMarkdownWorkflow(name, text)), fileName: 'docs.yml' }
}

/** What the embedded GitHub has of the reader's repository. In the README's own repository, the scenarios decide. */
function describeRepository(
  { example }: WorkflowOptions,
  { name, defaultBranch }: ReaderRepository,
  first: RunnableTrigger | undefined,
  getPage: () => string,
) {
  if (example !== undefined) return {}
  const patch = '@@ -0,0 +1 @@\n+The embedded documentation service wrote this line.'
  const scenario = {
    edits: () => [{ filename: getPage(), patch }],
    // The comment needs a pull request.
    ...(first?.event === 'issue_comment' && { earlierPull: 'marked' as const }),
  }
  return { repository: name, defaultBranch, scenario }
}

/** Runs the workflow for each event. In a story, until a run is red. @returns undefined if an event can never start it */
async function runEvents(
  course: Course,
  triggers: readonly RunnableTrigger[],
): Promise<{ readonly canStart: boolean; readonly stepRuns: readonly StepRun[] }> {
  const { session, embedded, options } = course
  const stepRuns: StepRun[] = []
  let canStart = true
  for (const [index, trigger] of triggers.entries()) {
    if (session.cancel.aborted) break
    if (index > 0) embedded.skip(DAY_MS)
    const ofEvent = await runEvent(course, trigger, index + 1)
    stepRuns.push(...(ofEvent ?? []))
    canStart &&= ofEvent !== undefined
    if (options.example && stepRuns.some(({ isRed }) => isRed)) break
  }
  return { canStart, stepRuns }
}

/**
 * Runs a workflow file as GitHub would, with the steps of this action only.
 * @param project the folder of this project
 * @returns the exit code: 0 if each event can start the workflow, a step was run, and none is red
 */
export async function runWorkflow(options: WorkflowOptions, project: string, terminal: Terminal): Promise<number> {
  // npm changes to the folder of package.json. This variable is the folder in which it was called.
  const folder = terminal.env['INIT_CWD'] ?? process.cwd()
  const file = resolve(folder, options.file)
  const { workflow, fileName } = await readFile(file)
  const triggers = listTriggers(options, workflow)
  const { example } = options
  const repository: ReaderRepository =
    example === undefined ? findReaderRepository(file) : { folder, name: 'acme/docs', defaultBranch: 'main' }
  let filename = choosePage(workflow)
  const embedded = await openEmbedded(options.service, Date.now(), {
    changedFiles: getChoice(options, 1).changed,
    ...describeRepository(options, repository, triggers[0], () => filename),
  })
  if (options.isFirstRun) embedded.github.state.repositories['acme/docs']?.workflowRuns.splice(0)
  const session = openSession(terminal, options, { url: embedded.url, speed: options.service.speed })
  const scratch = openScratchFolder('workflow-')
  const demoVars = new Set<string>()
  const known = {
    DOCS_AGENT_PAUSED: '',
    ...(example && { DOCS_AGENT_PROJECT_ID: embedded.inputs['project-id'] ?? '' }),
  }
  const vars = createDemoValues({ ...known, ...options.vars }, (name) => demoVars.add(name))
  const onStep = (inputs: Texts): void => {
    filename = findAllowedPage(inputs['allowed-paths']) ?? filename
  }
  const { print, paint } = session
  const place = { path: file, fileName, repository, project, scratch: scratch.path }
  const outputs = new GivenOutputs(options.outputs)
  const course = { options, workflow, embedded, session, vars, outputs, onStep, total: triggers.length, ...place }
  try {
    print(`${paint('bold', 'Docs Agent Action, run as on a GitHub runner')}\n${embedded.title}\n`)
    print(`${example ? "The README's workflow" : file}, in the repository ${repository.name}\n`)
    if (options.leavesRealService) print(REAL_IS_LEFT)
    const { canStart, stepRuns } = await runEvents(course, triggers)
    const sections = [
      ['In the log while the agent worked', example ? markdownToTerminal(embedded.workingHistory(), paint) : ''],
      ['On the pull request', markdownToTerminal(embedded.pullRequests(), paint)],
    ] as const
    print(showSections(sections, paint))
    showConclusion(session, course, stepRuns, { demoVars, triggers })
    const links = stepRuns.flatMap(({ outputs }) => outputs['pr-link'] ?? []).filter((link) => link !== '')
    if (stepRuns.length > 0) await session.finish(cleanForTerminal(links.at(-1) ?? ''))
    return canStart && stepRuns.length > 0 && stepRuns.every(({ isRed }) => !isRed) ? 0 : 1
  } finally {
    session.close()
    scratch.remove()
    await embedded.close()
  }
}
