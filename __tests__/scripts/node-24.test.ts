import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../../testing/markdown-files.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'

const PLATFORM = process.platform === 'win32' ? 'win' : process.platform
const NODE_FOLDER = `node_modules/node-${PLATFORM}-${process.arch}`

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
}

const { optionalDependencies, ...project } = JSON.parse(read('package.json')) as {
  readonly optionalDependencies: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

test('every package of Node.js has the version of .node-version, a hash in the lock file, and no install script', () => {
  const version = read('.node-version').trim()
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const locked = packages[`node_modules/${name}`]
    expect([name, range, locked?.version]).toEqual([name, version, version])
    expect(locked).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) as unknown })
    expect(locked).not.toHaveProperty('hasInstallScript')
  }
})

test('npm scripts run on the Node.js of the lock file, and on Node.js 24 where it has none', () => {
  const locked = packages[NODE_FOLDER]
  if (locked === undefined) {
    expect(process.versions.node).toMatch(/^24\./)
    return
  }
  expect(process.versions.node).toBe(locked.version)
  const executable = join(root, NODE_FOLDER, 'bin', PLATFORM === 'win' ? 'node.exe' : 'node')
  expect(realpathSync(process.execPath)).toBe(realpathSync(executable))
})

test('no dependency runs a script when it is installed, or comes from an address in the lock file', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  expect(project).not.toHaveProperty('allowScripts')
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})

const OLDER = `--import=data:text/javascript,Object.defineProperty(process, 'version', { value: 'v20.11.0' })`
const LAUNCHER = join(root, 'scripts/node-24.mjs')

test('an older Node.js passes arguments and exit code to Node.js 24', () => {
  const given = [OLDER, LAUNCHER, '--eval', 'console.log(process.version); process.exit(7)']
  const { status, stdout } = spawnSync(process.execPath, given, { encoding: 'utf8' })
  expect([status, stdout.slice(0, 4)]).toEqual(existsSync(join(root, NODE_FOLDER)) ? [7, 'v24.'] : [1, ''])
})

test('where npm has no Node.js, the one at hand runs if it is 24, and another one says what to install', () => {
  const copy = join(createTemporaryFolder(), 'scripts/node-24.mjs')
  cpSync(LAUNCHER, copy)
  const run = (...args: readonly string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(run(copy, '--print', 'process.version').stdout).toBe(`${process.version}\n`)
  const { status, stdout, stderr } = run(OLDER, copy, '--print', '1')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^This needs Node\.js 24, .*install Node\.js 24.*\.\n$/)
})

// Windows has no signals.
const testOnPosix = process.platform === 'win32' ? test.skip : test

testOnPosix.each([
  ['SIGTERM', 'the launcher', 1],
  ['SIGINT', 'the whole group, as by Ctrl-C', -1],
] as const)('%s to %s ends the program, too, and fails', async (signal, _target, sign) => {
  const program = 'console.log(process.pid); setInterval(() => undefined, 1_000)'
  const launcher = spawn(process.execPath, [LAUNCHER, '--eval', program], { detached: true })
  const exit = once(launcher, 'exit')
  const [pid] = (await once(launcher.stdout, 'data')) as [Buffer]
  process.kill(sign * (launcher.pid ?? NaN), signal)
  expect(await exit).toEqual([1, null])
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
})
