import { listNames } from '../../src/emulator/service/scenarios.ts'
import { createCertificate } from './self-signed-certificate.ts'
import { offerOverTls } from './untrusted-tls.ts'

type Texts = Readonly<Record<string, string>>

/** How the environment of a step differs from the usual one. */
export interface RunnerSetting {
  readonly inputs?: Texts
  readonly env?: Texts
  /** The source of an ES module that runs in the step's process before the action. */
  readonly preload?: string
  readonly close?: () => Promise<void>
}

interface RunnerScenario {
  /** One sentence for `--list`. */
  readonly description: string
  readonly set: (serviceUrl: string) => RunnerSetting | Promise<RunnerSetting>
}

async function overTls(serviceUrl: string): Promise<RunnerSetting> {
  const { url, close } = await offerOverTls(serviceUrl, createCertificate())
  return { inputs: { 'base-url': url }, close }
}

const withoutFile = (variable: string): RunnerSetting => ({
  preload: `import { rmSync } from 'node:fs'; rmSync(process.env.${variable})`,
})

/** Fails writes to open files only: the export uses those. The runner's command files are written by name. */
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

/** Failures of the runner and its network. */
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
    // The embedded service refuses CONNECT.
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
export const [RUNNER_SCENARIO_NAMES, isRunnerScenarioName] = listNames(scenarios)
