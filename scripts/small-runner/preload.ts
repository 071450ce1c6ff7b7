/** Environment variables that make Node.js run code before its main script. @param sources of ES modules */
export function preload(...sources: readonly string[]): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: sources.map((code) => `--import=data:text/javascript,${encodeURIComponent(code)}`).join(' ') }
}
