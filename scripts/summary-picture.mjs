/**
 * Takes the pictures of the documents: job summaries of real runs against the embedded service, as GitHub shows them, light
 * and dark. With words, only the pictures whose names contain one of them: npm run docs:pictures -- visitors
 *
 * Needs `npm run build` before, the development dependencies, and Chromium on the PATH or in CHROMIUM. No test needs the
 * pictures fresh.
 */
import { spawnSync } from 'node:child_process'
import { NODE_24, locate } from './summary-picture/places.mjs'

// A run with a hand-off needs the GitHub of the tests, which is TypeScript.
const script = locate('scripts/summary-picture/take-all.mjs')
const { status } = spawnSync(NODE_24, [script, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
