import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction, type RunResult } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { openDependencies, type Dependencies } from './dependencies.ts'
import { markdownToTerminal } from './markdown-to-terminal.ts'
import { SERVICE_VARIABLES, type Run } from './options.ts'
import { heading, SECRET_INPUTS, showHead, showInputs, showLogLine, showResult } from './report.ts'
import { openSession, type Session, type Terminal } from './session.ts'
import { cleanForTerminal } from './terminal.ts'

/** An export can be large. */
const MAX_HEAD_BYTES = 4_096

type Texts = Readonly<Record<string, string>>

interface Workspace {
  readonly path: string
  readonly remove: () => void
}

function openWorkspace({ action, service }: Run, env: NodeJS.ProcessEnv): Workspace {
  // Keep no export of made-up visitors.
  if (action === 'visitors' && service.kind === 'embedded') return openScratchFolder('visitors-')
  // npm changes to the folder of package.json. This variable is the folder in which it was called.
  return { path: env['INIT_CWD'] ?? process.cwd(), remove: () => undefined }
}

/** The given inputs, and defaults of those that the action has. */
function chooseInputs(run: Run, service: Texts, action: string): Texts {
  const known = readMetadata(action).inputs.map(({ name }) => name)
  const defaults = Object.entries({ ...service, ...run.defaults }).filter(([name]) => known.includes(name))
  return { ...Object.fromEntries(defaults), ...run.given }
}

/** Runs the step for each event, until one is not successful. */
async function runForEachEvent(
  { runs }: Dependencies,
  { print, paint, cancel }: Session,
  step: { readonly action: string; readonly inputs: Texts; readonly workspace: string },
): Promise<RunResult> {
  let result: RunResult | undefined
  for (const begin of runs) {
    const { title, succeed, inputs, ...begun } = begin()
    print(heading(title === '' ? 'Log' : title, paint))
    result = await runAction({
      ...begun,
      ...step,
      inputs: { ...step.inputs, ...inputs },
      cancel,
      secrets: SECRET_INPUTS.flatMap((name) => step.inputs[name] ?? []),
      onLine: (line) => {
        print(showLogLine(line, paint))
      },
    })
    if (result.conclusion !== 'success') return result
    succeed()
  }
  if (result === undefined) throw new Error('There is no run.')
  return result
}

/**
 * Runs one step, as often as its story has events.
 * @param action the folder of its action.yml
 * @returns the exit code
 */
export async function runStep(run: Run, action: string, terminal: Terminal): Promise<number> {
  const { service, leavesRealService, showsAll } = run
  const dependencies = await openDependencies(service, terminal.env)
  const { title, url, workingHistory, pullRequests } = dependencies
  const speed = service.kind === 'embedded' ? service.speed : 1
  const session = openSession(terminal, run, { url, speed })
  const { print, paint } = session
  const workspace = openWorkspace(run, terminal.env)
  try {
    const inputs = chooseInputs(run, dependencies.inputs, action)
    print(`${paint('bold', 'Docs Agent Action, run as on a GitHub runner')}\n${title}\n`)
    if (leavesRealService)
      print(
        `${SERVICE_VARIABLES[0]} is set, but nothing is sent there: --check only reads, and --real starts a real job.\n`,
      )
    print(`Inputs:\n${showInputs(inputs)}`)
    const result = await runForEachEvent(dependencies, session, { action, inputs, workspace: workspace.path })
    const { file = '', 'pr-link': link = '' } = result.outputs
    const readHead = (): string => readFileSync(join(workspace.path, file)).toString('utf8', 0, MAX_HEAD_BYTES)
    print(
      showResult({ ...result, durationMs: result.durationMs * speed }, paint, showsAll, [
        ['In the log while the agent worked', markdownToTerminal(workingHistory(), paint)],
        ['On the pull request', run.action === 'agent' ? markdownToTerminal(pullRequests(), paint) : ''],
        [file, file === '' ? '' : showHead(readHead())],
      ]),
    )
    await session.finish(cleanForTerminal(link))
    return result.conclusion === 'success' ? 0 : Math.max(1, result.exitCode ?? 1)
  } finally {
    session.close()
    workspace.remove()
    await dependencies.close()
  }
}
