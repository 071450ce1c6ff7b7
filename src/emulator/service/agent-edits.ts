export interface FileEdit {
  readonly path: string
  readonly change: 'added' | 'modified'
  /** Lines of a unified diff, after its header. */
  readonly diff: readonly string[]
}

const LONGEST_TITLE = 72
/** Words that say little in a file's name. */
const SMALL_WORDS = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'that', 'the', 'to', 'with', 'document'])

/** A prompt's first line that says something, cut between code points. */
export function titleOf(prompt: string): string {
  // A prompt can be megabytes long. Its beginning is enough for a title.
  const line = /\S[^\r\n]*/.exec(prompt.slice(0, 10_000))?.[0].trim() ?? 'Update the docs'
  const characters = Array.from(line)
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
}

function slugOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const telling = words.filter((word) => !SMALL_WORDS.has(word))
  return telling.slice(0, 5).join('-') || 'notes'
}

/** What the agent makes of a prompt: a page about it, and a link to that page. It follows from the prompt alone. */
export function editsFor(prompt: string): readonly FileEdit[] {
  const title = titleOf(prompt)
  const slug = slugOf(title)
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
