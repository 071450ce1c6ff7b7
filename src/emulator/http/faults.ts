import { type ServiceResponse, htmlResponse, jsonResponse } from './exchange.ts'

/** The faults of the first, the second, and the following requests of one kind. */
export interface FaultPattern<Kind> {
  readonly faults: readonly Kind[]
  /** What follows the last fault: the same fault, or the first one again. */
  readonly then: 'stays' | 'starts-over'
}

export function getFault<Kind>({ faults, then }: FaultPattern<Kind>, index: number): Kind | 'none' {
  return (then === 'stays' ? faults[Math.min(index, faults.length - 1)] : faults[index % faults.length]) ?? 'none'
}

export const NO_RESPONSE: ServiceResponse = { status: 0, headers: {}, body: '', delivery: 'reset' }

/** Changes only successful responses, so that an error response stays one. */
function onSuccess(response: ServiceResponse, change: Partial<ServiceResponse>): ServiceResponse {
  return response.status < 300 ? { ...response, ...change } : response
}

function withFields(response: ServiceResponse, fields: object): ServiceResponse {
  return onSuccess(response, { body: JSON.stringify({ ...(JSON.parse(response.body) as object), ...fields }) })
}

/** `handle` processes the request: a fault that does not call it leaves the state unchanged. */
export type Faults = Readonly<Record<string, (handle: () => ServiceResponse) => ServiceResponse>>

const FAULTS = {
  none: (handle) => handle(),
  unavailable: () => jsonResponse(503, { error: 'The service is unavailable.' }),
  'rate-limited': () => jsonResponse(429, { error: 'Too many requests.' }, { 'retry-after': '5' }),
  'rate-limited-for-hours': () => jsonResponse(429, { error: 'Too many requests.' }, { 'retry-after': '7200' }),
  unauthorized: () => jsonResponse(401, { error: 'This API key was revoked.' }, { 'www-authenticate': 'Bearer' }),
  rejected: () => jsonResponse(400, { error: 'This prompt is not accepted.' }),
  'payment-required': () => jsonResponse(402, { error: 'No credits are left.' }),
  'too-large': () => jsonResponse(413, { error: 'This prompt is too long.' }),
  redirected: () => ({ ...NO_RESPONSE, status: 307, headers: { location: '/elsewhere' }, delivery: 'complete' }),
  html: () => htmlResponse(200, '<!doctype html><title>Please wait</title><p>The service will be back soon.'),
  'other-job': (handle) => withFields(handle(), { id: 'job_of_another', status: 'failed' }),
  'bad-id': (handle) => withFields(handle(), { id: '../job' }),
  reset: () => NO_RESPONSE,
  truncated: (handle) => onSuccess(handle(), { delivery: 'truncated' }),
  never: () => ({ ...NO_RESPONSE, delivery: 'never' }),
  'response-lost': (handle) => onSuccess(handle(), { delivery: 'reset' }),
} as const satisfies Faults

export type Fault = keyof typeof FAULTS

export function applyFault(fault: Fault, handle: () => ServiceResponse): ServiceResponse {
  return FAULTS[fault](handle)
}
