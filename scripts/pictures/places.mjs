import { fileURLToPath } from 'node:url'

/**
 * @param {string} path below the project's folder
 * @returns {string} the absolute one
 */
export function locate(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
