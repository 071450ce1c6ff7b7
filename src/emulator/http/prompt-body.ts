import { type RequestRefusal, type ServiceRequest, refuseRequest } from './exchange.ts'

/** The interface states no limit (section 8), so this one is generous. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the prompt of a request (sections 4.1 and 4.2), or returns the 413, 415 or 400 for an invalid one. */
export function parsePromptBody({ headers, body }: Pick<ServiceRequest, 'headers' | 'body'>): string | RequestRefusal {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) return refuseRequest(413, ['The request body is larger than 8 MiB.'])
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') return refuseRequest(415, ['The content type must be application/json.'])
  const parsed = parseJson(body)
  if (parsed === undefined) return refuseRequest(400, ['The request body is not JSON.'])
  const { prompt } = (parsed ?? {}) as { readonly prompt?: unknown }
  if (typeof prompt === 'string' && prompt !== '') return prompt
  return refuseRequest(400, ['`prompt` must be a string of at least one character.'])
}
