import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readWorkspaceFile, type FileText } from '../../src/action/workspace-file.ts'

const folder = fs.mkdtempSync(path.join(tmpdir(), 'workspace-file-'))
const workspace = path.join(folder, 'workspace')

beforeAll(() => {
  fs.mkdirSync(path.join(workspace, 'docs'), { recursive: true })
  fs.mkdirSync(path.join(workspace, '.git'))
  fs.mkdirSync(path.join(folder, 'workspace-beside'))
  fs.writeFileSync(path.join(workspace, 'prompt.md'), ' Grüße\r\n')
  fs.writeFileSync(path.join(workspace, '..prompt.md'), 'dots')
  fs.writeFileSync(path.join(workspace, 'docs', 'bom.md'), '\ufeffprompt')
  fs.writeFileSync(path.join(workspace, 'latin1.md'), Buffer.from([0x47, 0xfc]))
  fs.writeFileSync(path.join(workspace, '.git', 'config'), 'token')
  fs.writeFileSync(path.join(folder, 'secret'), 'secret')
  fs.writeFileSync(path.join(folder, 'workspace-beside', 'secret'), 'secret')
})

afterAll(() => {
  fs.rmSync(folder, { recursive: true })
})

const read = (file: string, maxBytes = 1_000): FileText => readWorkspaceFile(workspace, file, maxBytes)
const problemOf = (file: string, maxBytes?: number): string => {
  const result = read(file, maxBytes)
  return result.kind === 'problem' ? result.problem : `It was read: ${result.text}`
}

/** Links need a right on Windows that a user may not have. */
const withLinks = process.platform === 'win32' ? test.skip : test

function link(target: string, name: string): string {
  fs.symlinkSync(target, path.join(workspace, name))
  return name
}

test('a file is read byte for byte', () => {
  expect(read('prompt.md')).toEqual({ kind: 'text', text: ' Grüße\r\n' })
})

test('a byte order mark is part of the text', () => {
  expect(read('docs/bom.md')).toEqual({ kind: 'text', text: '\ufeffprompt' })
})

test('a file may be named by an absolute path, and from a folder up', () => {
  expect(read(path.join(workspace, 'prompt.md')).kind).toBe('text')
  expect(read('docs/../prompt.md').kind).toBe('text')
})

test('a name that begins with two dots is a name', () => {
  expect(read('..prompt.md')).toEqual({ kind: 'text', text: 'dots' })
})

test.each(['../secret', '../workspace-beside/secret', 'docs/../../secret', '..', '.'])(
  '%s is outside the workspace',
  (file) => {
    expect(problemOf(file)).toBe('is outside the workspace')
  },
)

test('an absolute path outside is outside', () => {
  expect(problemOf(path.join(folder, 'secret'))).toBe('is outside the workspace')
})

withLinks('a link out of the workspace is outside', () => {
  expect(problemOf(link('../secret', 'link-out'))).toBe('is outside the workspace')
})

withLinks('a folder that is a link out of the workspace is outside', () => {
  expect(problemOf(`${link('..', 'folder-out')}/secret`)).toBe('is outside the workspace')
})

withLinks('a link inside the workspace is followed', () => {
  expect(read(link('prompt.md', 'link-in'))).toMatchObject({ text: ' Grüße\r\n' })
})

withLinks("a link to git's folder does not hide it", () => {
  expect(problemOf(`${link('.git', 'link-git')}/config`)).toBe("is inside git's own folder")
})

withLinks('a workspace that is a link itself is followed', () => {
  fs.symlinkSync('workspace', path.join(folder, 'link-workspace'))

  expect(readWorkspaceFile(path.join(folder, 'link-workspace'), 'prompt.md', 1_000).kind).toBe('text')
})

test("git's own folder may hold a token", () => {
  expect(problemOf('.git/config')).toBe("is inside git's own folder")
})

test("git's own folder is not opened by capitals either, where the file system does not care", () => {
  fs.mkdirSync(path.join(workspace, 'docs', '.GIT'))
  fs.writeFileSync(path.join(workspace, 'docs', '.GIT', 'config'), 'token')

  expect(problemOf('docs/.GIT/config')).toBe("is inside git's own folder")
})

test.each(['missing.md', 'missing/prompt.md', 'prompt.md/x', 'a\u0000b'])('%j does not exist', (file) => {
  expect(problemOf(file)).toMatch(/does not exist.*checked out/)
})

test('a folder is not a file', () => {
  expect(problemOf('docs')).toBe('is not a file')
})

test('text in another encoding is refused, as its letters would be lost', () => {
  expect(problemOf('latin1.md')).toBe('is not UTF-8 text')
})

test('a file may have as many bytes as are allowed and not one more', () => {
  expect(read('prompt.md', 10).kind).toBe('text')
  expect(problemOf('prompt.md', 9)).toBe('has 10 bytes, more than the 9 that are allowed')
})

test('without a workspace nothing can be read', () => {
  expect(readWorkspaceFile(path.join(folder, 'none'), 'prompt.md', 1_000)).toEqual({
    kind: 'problem',
    problem: 'cannot be read, because there is no workspace here',
  })
})
