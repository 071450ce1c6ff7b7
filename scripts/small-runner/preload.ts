/** The variables that run code in a process of Node.js before its own, each part the source of an ES module. */
export function preload(...sources: readonly string[]): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: sources.map((code) => `--import=data:text/javascript,${encodeURIComponent(code)}`).join(' ') }
}
