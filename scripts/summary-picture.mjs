/**
 * Takes the pictures of the README: the job summary of a real run against the embedded service, as GitHub shows it, light
 * and dark. Needs `npm run build` before, and Chromium on the PATH or in CHROMIUM. No test needs the pictures fresh.
 */
import { fileURLToPath } from 'node:url'
import { runAction } from './small-runner.mjs'
import { startEmbeddedService } from './start/embedded-service.mjs'
import { summaryPage } from './summary-picture/page.mjs'
import { takePicture } from './summary-picture/take-picture.mjs'

const PROMPT = 'Document the new `--dry-run` flag of the deploy command.'

/** @param {string} path below the project's folder */
function locate(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}

async function runOnce() {
  const service = await startEmbeddedService(locate('dist/emulator/index.js'), 'pull-request')
  try {
    const { baseUrl, projectId, apiKey } = service
    const inputs = { prompt: PROMPT, 'base-url': baseUrl, 'project-id': projectId, 'api-key': apiKey }
    const { conclusion, summary, rawOutput } = await runAction({ action: locate('.'), inputs })
    if (conclusion !== 'success') throw new Error(`The run ended with ${conclusion}:\n${rawOutput}`)
    return summary
  } finally {
    await service.stop()
  }
}

const markdown = await runOnce()
for (const theme of /** @type {const} */ (['light', 'dark'])) {
  const file = locate(`docs/assets/summary-${theme}.png`)
  takePicture(summaryPage({ markdown, job: 'docs', theme }), file)
  console.log(file)
}
