/**
 * Writes the version of the next release into package.json and package-lock.json. Commit the result, and tag that commit. Before
 * the first release, also names the owner of the repository.
 *
 *   npm run release:prepare -- 1.2.3 [--owner acme]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../testing/markdown-files.ts'
import { setOwner, setPackageVersion } from './versions.ts'

const { values, positionals } = parseArgs({ options: { owner: { type: 'string' } }, allowPositionals: true })
const { owner } = values
const [version = ''] = positionals
if (!/^\d+\.\d+\.\d+$/.test(version) || !/^[\w-]+$/.test(owner ?? 'none')) {
  console.error('Name the version, and the owner, such as: npm run release:prepare -- 1.2.3 --owner acme')
  process.exit(2)
}

function rewrite(file: string, change: (text: string, value: string) => string, value = version): void {
  const path = join(root, file)
  writeFileSync(path, change(readFileSync(path, 'utf8'), value))
}

if (owner !== undefined) {
  const files = execFileSync('git', ['grep', '-lI', 'your-org', '--', '.', ':!dist', ':!scripts/release'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.trim().split('\n')) rewrite(file, setOwner, owner)
}

rewrite('package.json', setPackageVersion)
rewrite('package-lock.json', setPackageVersion)
console.log(`Next: git commit -am 'Release ${version}' && git tag v${version} && git push origin main v${version}`)
