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

const INDEX = 'docs/index.md'

/** What the agent writes about the changes in the demo repository, by a text that the prompt contains. */
const DEMO_EDITS: readonly (readonly [mentioned: string, path: string, ...diff: string[]])[] = [
  [
    'setup.md',
    INDEX,
    '@@ -3,2 +3,2 @@',
    '-- [Setup](setup.md)',
    '+- [Setup](getting-started.md)',
    ' - [Deploy](deploy.md)',
  ],
  [
    'Mention both flags',
    INDEX,
    '@@ -5,1 +5,3 @@',
    ' ',
    '+New: try a deploy with `--dry-run`,',
    '+and let scripts read `--json`.',
  ],
  [
    '--dry-run',
    'docs/deploy.md',
    '@@ -5,3 +5,11 @@',
    ' ```shell',
    ' acme deploy production',
    ' ```',
    '+',
    '+## Try it first',
    '+',
    '+`--dry-run` lists what would change:',
    '+',
    '+```shell',
    '+acme deploy production --dry-run',
    '+```',
  ],
  [
    '--json',
    'docs/output.md',
    '@@ -1,3 +1,4 @@',
    ' # Output',
    ' ',
    '-Every command prints a table.',
    '+Every command prints a table.',
    '+With `--json`, it prints one object.',
  ],
  ['Retry a deploy', 'docs/deploy.md', '@@ -15,1 +15,3 @@', ' ```', '+', '+A deploy that fails is tried three times.'],
]

/** Returns the agent's edits for a prompt, by default a new page and a link to it. They depend on the prompt only. */
export function createEdits(prompt: string): readonly FileEdit[] {
  const [, path, ...diff] = DEMO_EDITS.find(([mentioned]) => prompt.includes(mentioned)) ?? []
  if (path !== undefined) return [{ path, change: 'modified', diff }]
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
      path: INDEX,
      change: 'modified',
      diff: ['@@ -3,2 +3,3 @@', ' - [Getting started](getting-started.md)', `+- [${title}](${slug}.md)`],
    },
  ]
}
