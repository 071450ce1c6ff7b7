// The lower bound: a program of built-ins only that checks nothing and does not wait, in CommonJS, which starts fastest. On a
// push it first looks up at GitHub which pull request the commit came from, and whether it is the head of one.
const fs = require('node:fs')
const http = require('node:http')

/**
 * @param {string} method
 * @param {string} url
 * @param {string | undefined} key
 * @param {string} body
 * @param {(body: any) => void} onBody
 */
function send(method, url, key, body, onBody) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const request = http.request(url, { method, headers }, (response) => {
    let text = ''
    response.on('data', (chunk) => (text += chunk))
    response.on('end', () => onBody(JSON.parse(text)))
  })
  request.end(body)
}

function prompt() {
  const url = `${process.env['INPUT_BASE-URL']}/v2/agent/${process.env['INPUT_PROJECT-ID']}/job`
  send(
    'POST',
    url,
    process.env['INPUT_API-KEY'],
    JSON.stringify({ prompt: process.env.INPUT_PROMPT }),
    ({ prLink }) => {
      fs.appendFileSync(process.env.GITHUB_OUTPUT ?? '', `pr-link=${prLink}\n`)
      process.exitCode = 0
    },
  )
}

process.exitCode = 1
if (process.env.GITHUB_EVENT_NAME !== 'push') prompt()
else {
  const { after } = JSON.parse(fs.readFileSync(process.env.GITHUB_EVENT_PATH ?? '', 'utf8'))
  const { GITHUB_API_URL, GITHUB_REPOSITORY } = process.env
  const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`
  const token = process.env['INPUT_GITHUB-TOKEN']
  let left = 2
  for (const path of [`commits/${after}/pulls`, 'pulls?state=all&sort=updated&direction=desc&per_page=30']) {
    send('GET', `${repository}/${path}`, token, '', (pulls) => {
      if (pulls.length === 0 && --left === 0) prompt()
    })
  }
}
