/**
 * Replacements of modules that would be loaded before the first request although nothing here uses them, by their path in
 * node_modules. The build and jest use them.
 */
export const REPLACED_MODULES: Readonly<Record<string, string>> = {
  // A method for each of GitHub's operations. Our code calls typed routes instead.
  '@octokit/plugin-rest-endpoint-methods/dist-src/index.js': 'export const restEndpointMethods = () => undefined\n',
  '@octokit/plugin-paginate-rest/dist-bundle/index.js': 'export const paginateRest = () => undefined\n',
  // Numbers that only a BigInt represents exactly. GitHub's ids are far below 2 ** 53.
  'json-with-bigint/json-with-bigint.js': 'export const { parse: JSONParse, stringify: JSONStringify } = JSON\n',
  // The index also loads WebSockets, caches and mocks. GitHub's client imports `fetch`, but receives our own.
  'undici/index.js': `
    const Dispatcher = require('./lib/dispatcher/dispatcher.js')
    Dispatcher.prototype.request = require('./lib/api/api-request.js')
    Dispatcher.prototype.connect = require('./lib/api/api-connect.js')
    exports.Agent = require('./lib/dispatcher/agent.js')
    exports.Pool = require('./lib/dispatcher/pool.js')
    exports.ProxyAgent = require('./lib/dispatcher/proxy-agent.js')
    exports.buildConnector = require('./lib/core/connect.js')
    exports.fetch = undefined
  `,
  // HTTP/2 is never enabled, because undici's client retries requests by itself.
  'undici/lib/dispatcher/client-h2.js':
    "module.exports = () => {\n  throw new Error('HTTP/2 is not in this bundle.')\n}\n",
  // undici follows no redirects here.
  'undici/lib/interceptor/redirect-interceptor.js': 'module.exports = () => (dispatch) => dispatch\n',
  // The parser of responses for processors without SIMD, on which undici falls back. Runners have SIMD.
  'undici/lib/llhttp/llhttp-wasm.js': 'module.exports = undefined\n',
  // Descriptions of schedules in words, for editors.
  'cronstrue/dist/cronstrue.js': 'exports.toString = () => ""\n',
  // A search tree of header names, which only pays off after some hundred responses.
  'undici/lib/core/tree.js': 'exports.tree = { lookup: () => null }\n',
}
