import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'

const BROWSER = process.env['CHROMIUM'] ?? 'chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--hide-scrollbars',
  // The script of a page writes its height.
  '--virtual-time-budget=10000',
]

function runBrowser(...args: readonly string[]): string {
  const { stdout, error, status } = spawnSync(BROWSER, [...FLAGS, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${BROWSER} failed. Set CHROMIUM to the path of Chromium.`, { cause: error })
  return stdout
}

/**
 * Takes a picture of an HTML page with the height in `data-height` of its root element.
 * @param size the width in CSS pixels, and the number of pixels of the picture for each of them
 * @throws Error if there is no browser, or no `data-height`
 */
export function takePicture(
  page: string,
  file: string,
  { width, scale }: Readonly<Record<'width' | 'scale', number>>,
): void {
  const { path: folder, remove } = openScratchFolder('summary-picture-')
  try {
    const path = join(folder, 'page.html')
    writeFileSync(path, page)
    const common = [`--user-data-dir=${join(folder, 'profile')}`, pathToFileURL(path).href]
    const dom = runBrowser(`--window-size=${width},600`, '--dump-dom', ...common)
    const height = /data-height="(\d+)"/.exec(dom)?.[1]
    if (height === undefined) throw new Error('The page has no data-height.')
    const size = [`--window-size=${width},${height}`, `--force-device-scale-factor=${scale}`]
    runBrowser(...size, `--screenshot=${file}`, ...common)
  } finally {
    remove()
  }
}

/** Enough to keep the colours of badges beside the shades of the letters. */
const COLOURS = 20

/**
 * Makes a PNG small with `pngquant` and `zopflipng`, as far as they are on the PATH.
 * @returns the file's size in bytes
 */
export function makeSmall(file: string): number {
  const flags = ['--force', '--strip', '--speed=1', '--output', file, String(COLOURS), file]
  const { error, status } = spawnSync('pngquant', flags, { stdio: 'inherit' })
  if (error !== undefined || status !== 0) console.warn('pngquant is missing or has failed, so the picture is large.')
  spawnSync('zopflipng', ['-y', file, file])
  return statSync(file).size
}
