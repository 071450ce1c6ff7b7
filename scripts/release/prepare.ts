/**
 * Writes the version of the next release into package.json and package-lock.json. Commit the result, and tag that commit.
 *
 *   npm run release:prepare -- 1.2.3
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { setPackageVersion } from './versions.ts'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('Name the version, such as: npm run release:prepare -- 1.2.3')
  process.exit(2)
}

function rewrite(file: string, change: (text: string, version: string) => string): void {
  const path = join(root, file)
  writeFileSync(path, change(readFileSync(path, 'utf8'), version))
}

rewrite('package.json', setPackageVersion)
rewrite('package-lock.json', setPackageVersion)
console.log(`Next: git commit -am 'Release ${version}' && git tag v${version} && git push origin main v${version}`)
