import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} project this project's folder
 * @param {readonly string[]} known the paths of the workflows that have a check, or a reason to have none
 * @returns {string[]} recipes that nobody checks, and checks of what is not there
 */
export function findGaps(project, known) {
  const recipes = readdirSync(join(project, 'docs/recipes')).filter((name) => /\.ya?ml$/.test(name))
  const unchecked = recipes.map((name) => `docs/recipes/${name}`).filter((path) => !known.includes(path))
  return [
    ...unchecked.map((path) => `${path} has no check. Add one to scripts/recipes/checks.mjs.`),
    ...known
      .filter((path) => !existsSync(join(project, path)))
      .map((path) => `scripts/recipes/checks.mjs names ${path}, which is not there.`),
  ]
}
