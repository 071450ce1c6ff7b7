import { appendFileSync } from 'node:fs'

const { APP_TOKEN = '', APP_REPOSITORIES = '', GITHUB_OUTPUT = '', ...env } = process.env
const { GITHUB_REPOSITORY = '', INPUT_OWNER: owner = '', INPUT_REPOSITORIES: repositories = '' } = env
const names = repositories.split(/[\s,]+/).filter(Boolean)
if (!env['INPUT_CLIENT-ID'] || !env['INPUT_PRIVATE-KEY']) throw new Error('An app and its key are needed.')
if ((owner === '') !== (names.length === 0)) throw new Error('An owner and repositories are needed, or neither.')
const wanted = owner === '' ? [GITHUB_REPOSITORY] : names.map((name) => `${owner}/${name}`)
const missing = wanted.filter((name) => !APP_REPOSITORIES.split(',').includes(name))
if (missing.length > 0) throw new Error(`The app is not installed in ${missing.join(', ')}.`)
// The embedded GitHub takes the part after the colon as the only repositories of the token.
const token = `${APP_TOKEN}:${wanted.join(',')}`
console.log(`::add-mask::${token}`)
appendFileSync(GITHUB_OUTPUT, `token=${token}\n`)
