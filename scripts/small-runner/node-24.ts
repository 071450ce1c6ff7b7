import { fileURLToPath } from 'node:url'

/** The Node.js of `using: node24`, which `npm ci` installs. */
export const NODE_24 = fileURLToPath(
  new URL(`../../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, import.meta.url),
)
