import { appendFileSync } from 'node:fs'

const { APP_TOKEN = '', GITHUB_OUTPUT = '', INPUT_OWNER = '' } = process.env
const given = ['CLIENT-ID', 'PRIVATE-KEY', 'REPOSITORIES'].every((name) => process.env[`INPUT_${name}`])
if (!given || INPUT_OWNER !== 'acme') throw new Error('An app, its key, an owner and repositories are needed.')
console.log(`::add-mask::${APP_TOKEN}`)
appendFileSync(GITHUB_OUTPUT, `token=${APP_TOKEN}\n`)
