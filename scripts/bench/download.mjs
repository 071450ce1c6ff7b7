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

/** @returns {import('./bench.mjs').Row[]} */
export function measureDownload() {
  const whole = packedMb()
  const bundles = packedMb('dist')
  return [
    {
      what: 'Download: the repository without tests and pictures, packed',
      ours: `${whole.toFixed(2)} MB`,
      beside: `${LIMIT_MB.toFixed(2)} MB, the limit that it is held to`,
      ratio: whole / LIMIT_MB,
    },
    {
      what: 'Download: of it, the bundles',
      ours: `${bundles.toFixed(2)} MB`,
      beside: `${whole.toFixed(2)} MB, the whole`,
      ratio: bundles / whole,
    },
  ]
}
