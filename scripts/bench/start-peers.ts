import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'

export interface Peer {
  readonly name: string
  /** The path of a bundle, packaged like an action. */
  readonly program: string
}

const READS_INPUTS = `
import * as core from '@actions/core'
const url = core.getInput('base-url') + '/v2/agent/' + core.getInput('project-id') + '/job'
const key = core.getInput('api-key')
core.setSecret(key)
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = { prompt: core.getInput('prompt') }
`

/** Minimal steps that create a job and output its link, with packages that actions often use. */
const PEERS: Readonly<Record<string, { readonly packages: readonly string[]; readonly source: string }>> = {
  fetch: {
    packages: ['@actions/core@3.0.1'],
    source: `${READS_INPUTS}
const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
core.setOutput('pr-link', (await response.json()).prLink)`,
  },
  '@actions/http-client': {
    packages: ['@actions/core@3.0.1', '@actions/http-client@4.0.1'],
    source: `import { HttpClient } from '@actions/http-client'${READS_INPUTS}
const { result } = await new HttpClient('docs').postJson(url, body, headers)
core.setOutput('pr-link', result.prLink)`,
  },
  axios: {
    packages: ['@actions/core@3.0.1', 'axios@1.21.1'],
    source: `import axios from 'axios'${READS_INPUTS}
const { data } = await axios.post(url, body, { headers })
core.setOutput('pr-link', data.prLink)`,
  },
  got: {
    packages: ['@actions/core@3.0.1', 'got@14.6.5'],
    source: `import got from 'got'${READS_INPUTS}
const { prLink } = await got.post(url, { headers, json: body }).json()
core.setOutput('pr-link', prLink)`,
  },
}

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'docs-agent-action', 'bench-peers')

/** Installs the peers' packages into the user's cache folder, in fixed versions, and bundles each with ncc. */
export function installPeers(): Peer[] {
  return Object.entries(PEERS).map(([name, { packages, source }]) => {
    const folder = join(CACHE, packages.join('+').replace(/[^\w.@+-]/g, '-'))
    const program = join(folder, 'dist/index.js')
    if (!existsSync(program)) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
      const isWindows = process.platform === 'win32'
      const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
      execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], shell: isWindows })
      writeFileSync(join(folder, 'peer.js'), source)
      const ncc = join(root, 'node_modules/@vercel/ncc/dist/ncc/cli.js')
      execFileSync(process.execPath, [ncc, 'build', 'peer.js', '-o', 'dist', '--quiet'], { cwd: folder })
    }
    return { name, program }
  })
}
