/** Sets the version of the package itself in package.json or package-lock.json: before the versions of its dependencies. */
export function setPackageVersion(text: string, version: string): string {
  const parts = text.split(/("name": "docs-agent-action",\s*"version": ")[^"]*/)
  if (parts.length === 1) throw new Error('The package has no version.')
  return parts.reduce((written, part) => written + part + (part.startsWith('"name"') ? version : ''), '')
}

/** Names the owner of this repository where the pages, the recipes and the tests have a placeholder. */
export function setOwner(text: string, owner: string): string {
  const named = text
    .replace(/(docs-agent-action\S*@\S+) # CHANGE: your-org.*$/gm, '$1')
    .replace(', and replace `your-org` by the account that owns docs-agent-action', '')
    .replace(/your-org(\\?\/docs-agent-action)/g, `${owner}$1`)
  return named.includes('# CHANGE: ') ? named : named.replace(/^# Change: the lines that say CHANGE\.\n/m, '')
}
