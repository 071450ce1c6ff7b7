import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'

/**
 * Date, version, machine and Node.js of a measurement. No commit: the one that adds the figures has no name yet, and the one
 * before does not contain what was measured.
 */
export function describeCircumstances(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  const [first, ...rest] = cpus()
  const machine = `${rest.length + 1} × ${first?.model.trim() ?? 'unknown'}, ${process.platform} ${process.arch}`
  return `${new Date().toISOString().slice(0, 10)}, version ${version}, ${machine}, Node ${process.versions.node}`
}
