export interface FileEdit {
  readonly path: string
  readonly change: 'added' | 'modified'
  /** Lines of a unified diff, after its header. */
  readonly diff: readonly string[]
}

const MAX_TITLE_LENGTH = 72
const STOP_WORDS = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'that', 'the', 'to', 'with', 'document'])

/** Returns the first non-blank line of a prompt, truncated between code points. */
export function getTitle(prompt: string): string {
  // A prompt can be megabytes long.
  const line = /\S[^\r\n]*/.exec(prompt.slice(0, 10_000))?.[0].trim() ?? 'Update the docs'
  const characters = Array.from(line)
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`
}

function toSlug(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const keywords = words.filter((word) => !STOP_WORDS.has(word))
  return keywords.slice(0, 5).join('-') || 'notes'
}

/** Returns the agent's edits for a prompt: a new page and a link to it. They depend on the prompt only. */
export function createEdits(prompt: string): readonly FileEdit[] {
  const title = getTitle(prompt)
  const slug = toSlug(title)
  return [
    {
      path: `docs/${slug}.md`,
      change: 'added',
      diff: [
        '@@ -0,0 +1,5 @@',
        `+# ${title}`,
        '+',
        '+This page was written by the embedded documentation service.',
        '+',
        '+Nothing outside this process was read or changed.',
      ],
    },
    {
      path: 'docs/index.md',
      change: 'modified',
      diff: ['@@ -3,2 +3,3 @@', ' - [Getting started](getting-started.md)', `+- [${title}](${slug}.md)`],
    },
  ]
}
