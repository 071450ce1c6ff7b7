import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const { ARTIFACTS_FOLDER = '', INPUT_PATTERN: pattern = '', INPUT_PATH: path = '' } = process.env
if (ARTIFACTS_FOLDER === '' || !pattern.endsWith('*'))
  throw new Error('A folder for artifacts and a pattern are needed.')
for (const name of readdirSync(ARTIFACTS_FOLDER)) {
  if (name.startsWith(pattern.slice(0, -1))) cpSync(join(ARTIFACTS_FOLDER, name), path, { recursive: true })
}
