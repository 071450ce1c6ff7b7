// Loaded before the packaged action: its time runs a hundred times as fast, and at each of its minutes the memory is noted.
import { writeFileSync } from 'node:fs'

const SPEED = 100
const startedAt = performance.now()
const realNow = performance.now.bind(performance)
const realTimeout = globalThis.setTimeout

performance.now = () => startedAt + (realNow() - startedAt) * SPEED
Object.assign(globalThis, {
  setTimeout: (/** @type {() => void} */ callback, /** @type {number} */ ms) => realTimeout(callback, ms / SPEED),
})

/** @type {{ liveMiB: number, residentMiB: number }[]} */
const minutes = []
setInterval(() => {
  const residentMiB = process.memoryUsage.rss() / 2 ** 20
  // What is garbage already says only how long the collector has waited.
  globalThis.gc?.()
  minutes.push({ residentMiB, liveMiB: process.memoryUsage().heapUsed / 2 ** 20 })
}, 60_000 / SPEED).unref()
process.on('exit', () => {
  writeFileSync(String(process.env['MEMORY_FILE']), JSON.stringify(minutes))
})
