/** A block of YAML, with its fence. */
const YAML_BLOCK = /^```ya?ml *\r?\n([^]*?)^``` *\r?$/gm

const isWorkflow = (block: string): boolean => /^jobs:/m.test(block) && /uses: \S*docs-agent-action\S*@/.test(block)

/**
 * Returns the first workflow of a Markdown file that uses this action, on the lines that it has in the file.
 * @throws Error if there is none
 */
export function readMarkdownWorkflow(name: string, text: string): string {
  for (const { 1: block = '', index } of text.matchAll(YAML_BLOCK))
    if (isWorkflow(block)) return '\n'.repeat(text.slice(0, index).split('\n').length) + block
  throw new Error(`${name} contains no workflow that uses this action.`)
}
