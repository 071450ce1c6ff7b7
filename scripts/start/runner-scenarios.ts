import { namesOf } from '../../src/emulator/service/scenarios.ts'
import { makeCertificate, offerOverTls } from './untrusted-tls.ts'

type Texts = Readonly<Record<string, string>>

/** What a step finds another way than usual. */
export interface RunnerSetting {
  readonly inputs?: Texts
  readonly env?: Texts
  /** The source of an ES module that runs in the step's process before the action. */
  readonly preload?: string
  readonly close?: () => void
}

interface RunnerScenario {
  /** One sentence for a person who has to choose. */
  readonly description: string
  readonly set: (serviceUrl: string) => RunnerSetting | Promise<RunnerSetting>
}

async function overTls(serviceUrl: string): Promise<RunnerSetting> {
  const { url, close } = await offerOverTls(serviceUrl, makeCertificate())
  return { inputs: { 'base-url': url }, close }
}

const withoutFile = (variable: string): RunnerSetting => ({
  preload: `import { rmSync } from 'node:fs'; rmSync(process.env.${variable})`,
})

/** The export writes to files that are open, and the runner's own files are on another disk. */
const FULL_DISK = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const write = fs.writeFileSync
  fs.writeFileSync = (file, ...rest) => {
    if (typeof file === 'number') throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' })
    write(file, ...rest)
  }
  syncBuiltinESMExports()
`

/** What goes wrong on the runner and in its network, where no service has a part in it. */
const scenarios = {
  'untrusted-certificate': {
    description: 'The service has a certificate of an authority that the runner does not know.',
    set: overTls,
  },
  'no-tls': {
    description: 'The address says `https:`, and the service’s port takes plain `http:`.',
    set: (url) => ({ inputs: { 'base-url': url.replace('http:', 'https:') } }),
  },
  'proxy-refuses': {
    description: 'The runner’s proxy forbids the service’s address.',
    // The service itself lets nobody through.
    set: (url) => ({ env: { HTTP_PROXY: url } }),
  },
  'socks-proxy': {
    description: 'The runner’s variable for the proxy names one that speaks SOCKS.',
    set: () => ({ env: { HTTP_PROXY: 'socks5://127.0.0.1:1080' } }),
  },
  'no-output-file': { description: 'The runner’s file for outputs is gone.', set: () => withoutFile('GITHUB_OUTPUT') },
  'no-summary-file': {
    description: 'The runner’s file for the job summary is gone.',
    set: () => withoutFile('GITHUB_STEP_SUMMARY'),
  },
  'full-disk': { description: 'The disk of the workspace is full.', set: () => ({ preload: FULL_DISK }) },
} as const satisfies Record<string, RunnerScenario>

export type RunnerScenarioName = keyof typeof scenarios

export const RUNNER_SCENARIOS: Readonly<Record<RunnerScenarioName, RunnerScenario>> = scenarios
export const [RUNNER_SCENARIO_NAMES, isRunnerScenarioName] = namesOf(scenarios)
