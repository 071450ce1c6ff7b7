import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const { ARTIFACTS_FOLDER = '', INPUT_NAME: name = '', INPUT_PATTERN: pattern = '', INPUT_PATH: path = '' } = process.env
if (ARTIFACTS_FOLDER === '' || (name === '' && !pattern.endsWith('*')))
  throw new Error('A folder for artifacts, and a name or a pattern are needed.')
const names = readdirSync(ARTIFACTS_FOLDER).filter((one) =>
  name === '' ? one.startsWith(pattern.slice(0, -1)) : one === name,
)
if (name !== '' && names.length === 0) throw new Error(`There is no artifact ${name}.`)
for (const one of names) cpSync(join(ARTIFACTS_FOLDER, one), path || '.', { recursive: true })
