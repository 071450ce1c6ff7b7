import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { openDependencies } from './dependencies.ts'
import { REAL_IS_LEFT, type Run } from './options.ts'
import { heading, SECRET_INPUTS, showHead, showInputs, showLogLine, showResult } from './report.ts'
import { openSession, type Terminal } from './session.ts'
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

/**
 * Runs one step without a workflow: of the agent at a real service, or of another action.
 * @param action the folder of its action.yml
 * @returns the exit code
 */
export async function runStep(run: Run, action: string, terminal: Terminal): Promise<number> {
  const { service, leavesRealService, showsAll } = run
  const dependencies = await openDependencies(service, terminal.env)
  const { title, url } = dependencies
  const speed = service.kind === 'embedded' ? service.speed : 1
  const session = openSession(terminal, run, { url, speed })
  const { print, paint, cancel } = session
  const workspace = openWorkspace(run, terminal.env)
  try {
    const inputs = chooseInputs(run, dependencies.inputs, action)
    print(`${paint('bold', 'Docs Agent Action, run as on a GitHub runner')}\n${title}\n`)
    if (leavesRealService) print(REAL_IS_LEFT)
    print(`Inputs:\n${showInputs(inputs)}${heading('Log', paint)}`)
    const result = await runAction({
      action,
      inputs,
      env: dependencies.createStepEnv(),
      eventName: 'workflow_dispatch',
      event: {},
      workspace: workspace.path,
      cancel,
      secrets: SECRET_INPUTS.flatMap((name) => inputs[name] ?? []),
      onLine: (line) => {
        print(showLogLine(line, paint))
      },
    })
    const { file = '', 'pr-link': link = '' } = result.outputs
    const readHead = (): string => readFileSync(join(workspace.path, file)).toString('utf8', 0, MAX_HEAD_BYTES)
    print(
      showResult({ ...result, durationMs: result.durationMs * speed }, paint, showsAll, [
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
