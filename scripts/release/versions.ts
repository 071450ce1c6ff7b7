/** Sets the version of the package itself in package.json or package-lock.json: before the versions of its dependencies. */
export function setPackageVersion(text: string, version: string): string {
  const parts = text.split(/("name": "docs-agent-action",\s*"version": ")[^"]*/)
  if (parts.length === 1) throw new Error('The package has no version.')
  return parts.reduce((written, part) => written + part + (part.startsWith('"name"') ? version : ''), '')
}

const USES_ACTION = /(uses: \S+\/docs-agent-action(?:\/fleet\/\w+)?@)\S+/g

/** Sets the tag at which fleet.yml uses the action and its own two parts. */
export function setFleetVersion(text: string, version: string): string {
  if (text.match(USES_ACTION)?.length !== 3) throw new Error('fleet.yml must use the action and its two parts.')
  return text.replace(USES_ACTION, `$1v${version}`)
}
