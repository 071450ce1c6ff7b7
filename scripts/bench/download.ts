import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { root } from '../../__tests__/support/markdown-files.ts'
import type { Row } from './row.ts'

const DOWNLOAD_LIMIT_MB = 1.2

/** Measures the archive of the repository, which the runner downloads. */
export function measureDownload(): Row[] {
  const packedMb = (...paths: string[]): number => {
    const archive = execFileSync('git', ['archive', 'HEAD', ...paths], { cwd: root, maxBuffer: 2 ** 30 })
    return gzipSync(archive, { level: 9 }).length / 1e6
  }
  const [whole, bundles] = [packedMb(), packedMb('dist')]
  const format = (mb: number): string => `${mb.toFixed(2)} MB`
  const limit = `${format(DOWNLOAD_LIMIT_MB)}: the limit of our own`
  return [
    ['The repository without tests and pictures, packed', format(whole), limit, whole / DOWNLOAD_LIMIT_MB],
    ['Of it, the bundles', format(bundles), `${format(whole)}: the whole`, bundles / whole],
  ]
}
