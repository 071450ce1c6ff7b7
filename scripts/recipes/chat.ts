import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../small-runner/listen-on-loopback.ts'

/** An incoming webhook, like those of Slack. Accepts `{"text": "..."}` as JSON, and refuses everything else. */
export interface Chat {
  readonly url: string
  /** Returns the messages since the last call. */
  readonly takeMessages: () => readonly string[]
  readonly close: () => Promise<void>
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
  const { url, close } = await listenOnLoopback(server)
  return { url: `${url}/services/docs`, takeMessages: () => messages.splice(0), close }
}
