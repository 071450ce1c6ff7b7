import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An incoming webhook, like those of Slack. Accepts `{"text": "..."}` as JSON, and refuses everything else. */
export interface Chat {
  readonly url: string
  /** Returns the messages since the last call. */
  readonly takeMessages: () => readonly string[]
  readonly close: () => void
}

function parseMessage(body: string): string | undefined {
  try {
    const { text, ...others } = JSON.parse(body) as Readonly<Record<string, unknown>>
    return typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined
  } catch {
    return undefined
  }
}

/** Starts a chat on a free port of this machine. */
export async function openChat(): Promise<Chat> {
  const messages: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isJson = request.method === 'POST' && request.headers['content-type'] === 'application/json'
      const message = isJson ? parseMessage(body) : undefined
      if (message !== undefined) messages.push(message)
      response.writeHead(message === undefined ? 400 : 200).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/docs`,
    takeMessages: () => messages.splice(0),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
