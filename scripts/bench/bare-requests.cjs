// The least time: a program of built-ins only that sends the same necessary requests as a step, without waiting for the job's
// end. The requests of a group are sent at the same time, and the groups one after the other.
const http = require('node:http')
const https = require('node:https')

/** @type {{ before: string[][], prompt?: string, read: string, after: string[][] }} */
const { before, prompt, read, after } = JSON.parse(process.env.REQUESTS ?? '')
const base = process.env.BASE_URL ?? ''
const { request, Agent } = base.startsWith('https:') ? https : http
const agent = new Agent({ keepAlive: true })

/** @param {string} line method and path */
function send(line) {
  const [method, path] = line.split(' ')
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, { method, agent }, (response) => response.resume().on('end', resolve))
    sent.on('error', reject).end(method === 'GET' ? '' : '{}')
  })
}

/** @param {string[][]} groups */
async function sendAll(groups) {
  for (const group of groups) await Promise.all(group.map(send))
}

async function run() {
  await sendAll(before)
  if (prompt === undefined) return
  await send(prompt)
  await send(read)
  await sendAll(after)
}

void run().then(() => process.exit())
