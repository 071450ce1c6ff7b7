/** Sets the version of the package itself in package.json or package-lock.json: before the versions of its dependencies. */
export function setPackageVersion(text: string, version: string): string {
  const parts = text.split(/("name": "docs-agent-action",\s*"version": ")[^"]*/)
  if (parts.length === 1) throw new Error('The package has no version.')
  return parts.reduce((written, part) => written + part + (part.startsWith('"name"') ? version : ''), '')
}
