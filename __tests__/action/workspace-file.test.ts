import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { expect, test } from '@jest/globals'
import { findOutputPlace, partsInside, readWorkspaceFile } from '../../src/action/workspace-file.ts'
import { listNames, createTemporaryFolder } from '../../testing/temporary-folder.ts'

/** On Windows, symbolic links need a privilege that a user may lack, and named pipes are no files. */
const isWindows = process.platform === 'win32'

/** Contains the workspace, and files outside of it. */
const folder = createTemporaryFolder()
const workspace = join(folder, 'workspace')
for (const path of ['workspace/docs/.GIT', 'workspace/.git', 'workspace-beside'])
  mkdirSync(join(folder, path), { recursive: true })
const FILES = {
  secret: 'secret',
  'workspace-beside/secret': 'secret',
  'workspace/prompt.md': ' Grüße\r\n',
  'workspace/..prompt.md': 'dots',
  'workspace/docs/bom.md': '\ufeffprompt',
  'workspace/latin1.md': Buffer.from([0x47, 0xfc]),
  'workspace/.git/config': 'token',
  'workspace/docs/.GIT/config': 'token',
}
for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text)
if (!isWindows) {
  const outside = { 'file-out': '../secret', 'folder-out': '../workspace-beside', dangling: '../not-there' }
  const inside = { 'file-in': 'prompt.md', 'folder-in': 'docs', 'git-in': '.git', '../linked-workspace': 'workspace' }
  for (const [path, target] of Object.entries({ ...outside, ...inside })) symlinkSync(target, join(workspace, path))
  execFileSync('mkfifo', [join(workspace, 'pipe')])
}
const before = listNames(folder)

const read = (file: string, maxBytes = 1_000): string => readWorkspaceFile(workspace, file, maxBytes)

test.each([
  ['prompt.md', ' Grüße\r\n'],
  [join(workspace, 'prompt.md'), ' Grüße\r\n'],
  ['docs/../prompt.md', ' Grüße\r\n'],
  ['..prompt.md', 'dots'],
  ['docs/bom.md', '\ufeffprompt'],
  ...(isWindows ? [] : [['file-in', ' Grüße\r\n'] as const]),
])('reads %s unchanged, including its byte order mark', (file, text) => {
  expect(read(file)).toBe(text)
})

const OUTSIDE = 'is outside the workspace'
const IN_GIT_FOLDER = "is inside git's own folder"
const MISSING = /^does not exist.*checked out/
const NOT_WRITTEN = /^cannot be written, because/

/** Why the file cannot be read, and why it cannot be written. Null: it can be written. */
type Row = readonly [file: string, reading: string | RegExp, writing: string | RegExp | null]
const REFUSED: readonly Row[] = [
  ['../secret', OUTSIDE, OUTSIDE],
  ['../workspace-beside/secret', OUTSIDE, OUTSIDE],
  ['docs/../../secret', OUTSIDE, OUTSIDE],
  ['..', OUTSIDE, OUTSIDE],
  [join(folder, 'secret'), OUTSIDE, OUTSIDE],
  ['.git/config', IN_GIT_FOLDER, IN_GIT_FOLDER],
  // On a case-insensitive file system, this is git's own folder.
  ['docs/.GIT/config', IN_GIT_FOLDER, IN_GIT_FOLDER],
  ['.', 'is not a file', 'is a folder'],
  ['docs', 'is not a file', 'is a folder'],
  ['new/', MISSING, 'is a folder'],
  ['prompt.md/x', MISSING, NOT_WRITTEN],
  ['a\u0000b', MISSING, 'must not contain control characters'],
  ['a\nb', MISSING, 'must not contain control characters'],
  ['missing.md', MISSING, null],
  ['new/missing.md', MISSING, null],
  ['latin1.md', 'is not UTF-8 text', null],
]
const TOO_LONG = 'is too long for the file system: most allow 255 bytes for each name'
/** Windows has other links, pipes and limits. */
const REFUSED_ON_UNIX: readonly Row[] = [
  ['x'.repeat(256), TOO_LONG, TOO_LONG],
  [`${'ü'.repeat(128)}/visitors.csv`, TOO_LONG, TOO_LONG],
  ['file-out', OUTSIDE, OUTSIDE],
  ['folder-out/secret', OUTSIDE, OUTSIDE],
  ['folder-out/new/missing.md', MISSING, OUTSIDE],
  ['git-in/config', IN_GIT_FOLDER, IN_GIT_FOLDER],
  ['dangling', MISSING, NOT_WRITTEN],
  // Reading a pipe would wait for its writer.
  ['pipe', 'is not a file', 'is not a regular file'],
]

test.each([...REFUSED, ...(isWindows ? [] : REFUSED_ON_UNIX)])(
  'rejects %j: %s for reading, %s for writing',
  (file, reading, writing) => {
    expect(() => read(file)).toThrow(reading)
    if (writing !== null) expect(() => findOutputPlace(workspace, file)).toThrow(writing)
  },
)

test('on Windows, rejects paths on other drives', () => {
  const splitPath = (file: string) => partsInside('D:\\work', file, win32)
  expect(splitPath('D:\\work\\docs\\a.md')).toEqual(['docs', 'a.md'])
  for (const file of ['C:\\secret', 'D:\\secret', '\\\\host\\share\\secret'])
    expect(() => splitPath(file)).toThrow(OUTSIDE)
})

test('accepts a file of the maximum size, and rejects a larger one', () => {
  expect(() => read('prompt.md', 10)).not.toThrow()
  expect(() => read('prompt.md', 9)).toThrow('has 10 bytes; at most 9 are allowed')
})

test.each([
  ['visitors.csv', 'visitors.csv'],
  ['out/of/folders/visitors.csv', 'out/of/folders/visitors.csv'],
  ['./a/../visitors.csv', 'visitors.csv'],
  ['..visitors.csv', '..visitors.csv'],
  [join(workspace, 'out', 'v.csv'), 'out/v.csv'],
  ['prompt.md', 'prompt.md'],
  ...(isWindows ? [] : [['folder-in/visitors.csv', 'docs/visitors.csv'] as const]),
])('accepts %s for a new file, and writes nothing', (file, name) => {
  expect(findOutputPlace(workspace, file)).toEqual({ file: join(workspace, name), name })
  expect(listNames(folder)).toEqual(before)
})

test('rejects files without a workspace, and accepts a workspace that is a symbolic link', () => {
  const missing = join(folder, 'missing')
  expect(() => readWorkspaceFile(missing, 'prompt.md', 1_000)).toThrow(
    'cannot be read, because this step has no workspace',
  )
  expect(() => findOutputPlace(missing, 'visitors.csv')).toThrow(NOT_WRITTEN)
  if (isWindows) return
  const linked = join(folder, 'linked-workspace')
  expect(readWorkspaceFile(linked, 'prompt.md', 1_000)).toBe(' Grüße\r\n')
  expect(findOutputPlace(linked, 'v.csv')).toEqual({ file: join(workspace, 'v.csv'), name: 'v.csv' })
})
