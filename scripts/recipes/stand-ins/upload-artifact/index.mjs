import { cpSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

const { ARTIFACTS_FOLDER = '', INPUT_NAME: name = '', INPUT_PATH: path = '' } = process.env
if (ARTIFACTS_FOLDER === '' || !/^[\w.-]+$/.test(name)) throw new Error('A folder for artifacts and a name are needed.')
const target = join(ARTIFACTS_FOLDER, name)
cpSync(path, statSync(path).isFile() ? join(target, basename(path)) : target, { recursive: true })
