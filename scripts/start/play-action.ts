import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction, type RunResult } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { openDependencies } from './dependencies.ts'
import { markdownToTerminal } from './markdown-to-terminal.ts'
import { SERVICE_VARIABLES, type Run } from './options.ts'
import { heading, SECRET_INPUTS, showHead, showInputs, showLogLine, showResult } from './report.ts'
import { openSession, type Terminal } from './session.ts'
import { cleanForTerminal } from './terminal.ts'

/** An export can be large. */
const MAX_HEAD_BYTES = 4_096

/**
 * Runs one step, as often as its story has events.
 * @param action the folder of its action.yml
 * @returns the exit code
 */
export async function playAction(run: Run, action: string, terminal: Terminal): Promise<number> {
  const { env } = terminal
  const known = readMetadata(action).inputs.map(({ name }) => name)
  const dependencies = await openDependencies(run.service, env)
  const { url } = dependencies
  const isEmbedded = run.service.kind === 'embedded'
  const speed = run.service.kind === 'embedded' ? run.service.speed : 1
  const session = openSession(terminal, run, { url, speed })
  const { print, paint } = session
  // Keep no export of made-up visitors.
  const scratch = run.action === 'visitors' && isEmbedded ? openScratchFolder('visitors-') : undefined
  // npm changes to the folder of package.json. This variable is the folder in which it was called.
  const workspace = scratch?.path ?? env['INIT_CWD'] ?? process.cwd()
  try {
    // Defaults only for inputs that the action has.
    const defaults = Object.entries({ ...dependencies.inputs, ...run.defaults }).filter(([name]) =>
      known.includes(name),
    )
    const inputs: Readonly<Record<string, string>> = { ...Object.fromEntries(defaults), ...run.given }
    print(`${paint('bold', 'Docs Agent Action, run as on a GitHub runner')}\n${dependencies.title}\n`)
    if (run.leavesRealService)
      print(
        `${SERVICE_VARIABLES[0]} is set, but nothing is sent there: --check only reads, and --real starts a real job.\n`,
      )
    print(`Inputs:\n${showInputs(inputs)}`)
    let result: RunResult | undefined
    for (const begin of dependencies.runs) {
      if (result !== undefined && result.conclusion !== 'success') break
      const { title, succeed, inputs: own, ...begun } = begin()
      print(heading(title === '' ? 'Log' : title, paint))
      result = await runAction({
        ...begun,
        action,
        inputs: { ...inputs, ...own },
        workspace,
        cancel: session.cancel,
        secrets: SECRET_INPUTS.flatMap((name) => inputs[name] ?? []),
        onLine: (line) => {
          print(showLogLine(line, paint))
        },
      })
      if (result.conclusion === 'success') succeed()
    }
    if (result === undefined) throw new Error('There is no run.')
    const { file = '', 'pr-link': link = '' } = result.outputs
    print(
      showResult({ ...result, durationMs: result.durationMs * speed }, paint, run.showsAll, [
        ['In the log while the agent worked', markdownToTerminal(dependencies.workingHistory(), paint)],
        ['On the pull request', run.action === 'agent' ? markdownToTerminal(dependencies.pullRequests(), paint) : ''],
        [file, file === '' ? '' : showHead(readFileSync(join(workspace, file)).toString('utf8', 0, MAX_HEAD_BYTES))],
      ]),
    )
    await session.finish(cleanForTerminal(link))
    return result.conclusion === 'success' ? 0 : Math.max(1, result.exitCode ?? 1)
  } finally {
    session.close()
    scratch?.remove()
    await dependencies.close()
  }
}
