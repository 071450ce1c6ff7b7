import { cpSync } from 'node:fs'
import { join } from 'node:path'

const { ARTIFACTS_FOLDER = '', INPUT_NAME: name = '', INPUT_PATH: path = '' } = process.env
if (ARTIFACTS_FOLDER === '' || !/^[\w.-]+$/.test(name)) throw new Error('A folder for artifacts and a name are needed.')
cpSync(path, join(ARTIFACTS_FOLDER, name), { recursive: true })
