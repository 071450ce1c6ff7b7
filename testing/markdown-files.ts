import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../', import.meta.url))

export interface MarkdownFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly text: string
}

/** Folders with built, installed or temporary files. */
const SKIPPED_FOLDERS = /(^|\/)(node_modules|dist|build|coverage|\.git|\.tmp)$/

function listPaths(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return SKIPPED_FOLDERS.test(path) ? [] : listPaths(path)
  })
}

export function readMarkdownFiles(): MarkdownFile[] {
  return listPaths('')
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))
}

/** Returns the contents of the fenced code blocks of a language. */
export function listCodeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code ?? '')
}

/** A fence is longer than the fences inside it. */
const CODE_BLOCK = /^(`{3,})[^`\n]*\n[^]*?^\1$/gm

function removeCode(text: string): string {
  return text.replace(CODE_BLOCK, '').replace(/`[^`\n]*`/g, '')
}

/** Lists the targets of links and pictures, in Markdown and in HTML. */
export function listLinkTargets(text: string): string[] {
  const prose = removeCode(text)
  const patterns = [/\]\(([^)\s]+)[^)]*\)/g, /^\[[^\]]+\]:\s*(\S+)/gm, /(?:href|src|srcset)="([^"]+)"/g]
  return patterns.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, target]) => target ?? ''))
}

/** Lists the anchors of a document: those that GitHub creates for headings, and explicit ones. */
export function listAnchors(text: string): string[] {
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  const headings = [...text.replace(CODE_BLOCK, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...anchors]
}

/** Returns the text from a heading of the second level to the next one. */
export function getSection(text: string, heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

/** Returns the rows of the first table below a heading, with trimmed cells and without the heading row. */
export function parseTable(text: string, heading: string): string[][] {
  const table = /(?:^\|.*\|$\n?)+/m.exec(getSection(text, heading))?.[0] ?? ''
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
