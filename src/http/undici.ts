/**
 * The parts of undici that send requests. Its index also loads fetch, WebSockets, caches and mocks, which costs every
 * step about 15 ms before its first request.
 */
import connect from 'undici/lib/api/api-connect.js'
import request from 'undici/lib/api/api-request.js'
import buildConnector from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'

// As in undici's index. Without this, a dispatcher has no `request` and no `connect`.
Object.assign(Dispatcher.prototype, { connect, request })

export { Agent, buildConnector, Pool, ProxyAgent }
