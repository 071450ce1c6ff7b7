import { fileURLToPath } from 'node:url'

/**
 * @param {string} path below the project's folder
 * @returns {string} the absolute one
 */
export function locate(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/** The Node.js that `using: node24` stands for. */
export const NODE_24 = locate(`node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`)
