import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '../support/markdown-files.ts'

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
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const folder = `node_modules/node-${platform}-${process.arch}`
  const locked = packages[folder]
  if (locked === undefined) {
    expect(process.versions.node).toMatch(/^24\./)
    return
  }
  expect(process.versions.node).toBe(locked.version)
  const executable = join(root, folder, 'bin', platform === 'win' ? 'node.exe' : 'node')
  expect(realpathSync(process.execPath)).toBe(realpathSync(executable))
})

test('no dependency runs a script when it is installed, or comes from an address in the lock file', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  expect(project).not.toHaveProperty('allowScripts')
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})

test('another Node.js stops a script with one sentence that says what to install', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { node: '20.11.0' } })"
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--import=data:text/javascript,${older}`, '--import=./scripts/require-node-24.mjs', '--print', '"ran"'],
    { cwd: root, encoding: 'utf8' },
  )
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^This needs Node\.js 24, .*install Node\.js 24.*\.\n$/)
})
