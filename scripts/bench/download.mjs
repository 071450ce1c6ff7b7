// What the runner downloads: the repository at a ref, packed.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const LIMIT_MB = 1.2
const root = join(import.meta.dirname, '../..')

/** @param {string[]} paths */
function packedMb(...paths) {
  const archive = execFileSync('git', ['archive', 'HEAD', ...paths], { cwd: root, maxBuffer: 2 ** 30 })
  return gzipSync(archive, { level: 9 }).length / 1e6
}

console.log('download                 MB   ratio to the limit')
for (const [name, ...paths] of [['repository'], ['of it, dist', 'dist'], ['of it, pictures', 'docs/assets']]) {
  const megabytes = packedMb(...paths)
  console.log(
    `${String(name).padEnd(20)}${megabytes.toFixed(2).padStart(7)}${(megabytes / LIMIT_MB).toFixed(2).padStart(21)}`,
  )
}
