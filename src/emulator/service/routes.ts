import { ID_PATTERN } from '../../runtime/id.ts'
import { type Refusal, refuse } from '../http/exchange.ts'

/** What is asked for, with the ids that the path carries. */
export type Route =
  | { readonly operation: 'create-job'; readonly projectId: string }
  | { readonly operation: 'send-message'; readonly projectId: string; readonly jobId: string }
  | { readonly operation: 'get-job'; readonly projectId: string; readonly jobId: string }
  | { readonly operation: 'get-visitors'; readonly projectId: string }
  | { readonly operation: 'view-pull-request'; readonly pullNumber: number }

export type RouteMatch =
  { readonly kind: 'found'; readonly route: Route } | { readonly kind: 'nowhere'; readonly refusal: Refusal }

interface RouteEntry {
  /** As in the `Allow` header. */
  readonly allow: 'POST' | 'GET, HEAD'
  readonly path: RegExp
  readonly toRoute: (captured: readonly string[]) => Route
}

/** Section 4 of the service's interface, and the pages that its links lead to. */
const ROUTES: readonly RouteEntry[] = [
  {
    allow: 'POST',
    path: /^\/v2\/agent\/([^/]+)\/job$/,
    toRoute: ([projectId = '']) => ({ operation: 'create-job', projectId }),
  },
  {
    allow: 'POST',
    path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)\/message$/,
    toRoute: ([projectId = '', jobId = '']) => ({ operation: 'send-message', projectId, jobId }),
  },
  {
    allow: 'GET, HEAD',
    path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)$/,
    toRoute: ([projectId = '', jobId = '']) => ({ operation: 'get-job', projectId, jobId }),
  },
  {
    allow: 'GET, HEAD',
    path: /^\/v1\/analytics\/([^/]+)\/visitors$/,
    toRoute: ([projectId = '']) => ({ operation: 'get-visitors', projectId }),
  },
  {
    allow: 'GET, HEAD',
    path: /^\/acme\/docs\/pull\/([1-9]\d{0,8})$/,
    toRoute: ([pullNumber]) => ({ operation: 'view-pull-request', pullNumber: Number(pullNumber) }),
  },
]

/**
 * Finds what a request asks for, or the 404 or 405 that it gets. A path whose ids are not ids leads nowhere, so `..` and
 * its encoded forms match nothing. HEAD is read as GET.
 */
export function matchRoute(method: string, path: string): RouteMatch {
  for (const { allow, path: pattern, toRoute } of ROUTES) {
    const captured = pattern.exec(path)?.slice(1)
    if (captured?.every((id) => ID_PATTERN.test(id)) !== true) continue
    return allow.split(', ').includes(method)
      ? { kind: 'found', route: toRoute(captured) }
      : { kind: 'nowhere', refusal: refuse(405, ['This path does not take this method.'], { allow }) }
  }
  return { kind: 'nowhere', refusal: refuse(404, ['There is nothing at this path.']) }
}
