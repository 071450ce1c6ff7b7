import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Recipes that nobody checks, and checks of what is not there.
 * @param project its folder
 * @param known the paths of the workflows that have a check
 */
export function findGaps(project: string, known: readonly string[]): string[] {
  const recipes = readdirSync(join(project, 'docs/recipes')).filter((name) => /\.ya?ml$/.test(name))
  const unchecked = recipes.map((name) => `docs/recipes/${name}`).filter((path) => !known.includes(path))
  const gone = known.filter((path) => !existsSync(join(project, path)))
  return [
    ...unchecked.map((path) => `${path} has no check. Add one to scripts/recipes/checks.ts.`),
    ...gone.map((path) => `scripts/recipes/checks.ts names ${path}, which is not there.`),
  ]
}
