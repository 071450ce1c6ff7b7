import { fileURLToPath } from 'node:url'

/** The Node.js that `using: node24` stands for, as `npm ci` installs it. */
export const NODE_24 = fileURLToPath(
  new URL(`../../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, import.meta.url),
)
