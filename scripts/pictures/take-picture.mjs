import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
/** For pictures of our own pages: no account, nothing loaded in the background. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  // A chart is drawn after the page was loaded.
  '--virtual-time-budget=10000',
]
const WIDTH = 840
/** Sharp on most screens, and small enough for a README. */
const SCALE = 1.25

/**
 * @param {readonly string[]} args
 * @returns {string} what the browser prints
 * @throws {Error} where there is no browser, or it fails
 */
function runBrowser(args) {
  const names = process.env['CHROMIUM'] === undefined ? BROWSERS : [process.env['CHROMIUM']]
  for (const name of names) {
    try {
      return execFileSync(name, [...FLAGS, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`None of these is on the PATH: ${names.join(', ')}. Set CHROMIUM to the path of Chromium.`)
}

/**
 * Takes a picture of a page, as high as the page says in `data-height` of its root element, at `SCALE` times its size.
 *
 * @param {string} page HTML
 * @param {string} file where the PNG goes
 * @throws {Error} where there is no browser, or the page does not tell its height
 */
export function takePicture(page, file) {
  const folder = mkdtempSync(join(tmpdir(), 'summary-picture-'))
  try {
    const path = join(folder, 'page.html')
    writeFileSync(path, page)
    const common = [`--user-data-dir=${join(folder, 'profile')}`, pathToFileURL(path).href]
    const height = /data-height="(\d+)"/.exec(runBrowser([`--window-size=${WIDTH},600`, '--dump-dom', ...common]))?.[1]
    if (height === undefined) throw new Error('The page does not tell its height.')
    const size = [`--window-size=${WIDTH},${height}`, `--force-device-scale-factor=${SCALE}`]
    runBrowser([...size, `--screenshot=${file}`, ...common])
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Takes away colours that nobody sees, where `pngquant` is on the PATH; else the file stays as it is.
 *
 * @param {string} file a PNG
 * @returns {number} its size, in bytes
 */
export function makeSmall(file) {
  const flags = ['--force', '--strip', '--speed=1', '--output', file, '24', file]
  const { error, status } = spawnSync('pngquant', flags, { stdio: 'inherit' })
  if (error !== undefined || status !== 0) console.warn('pngquant is not there or failed: the picture is large.')
  return statSync(file).size
}
