import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  findOutputPlace,
  openOutputFile,
  OutputFileError,
  type OutputPlace,
} from '../../src/action/workspace-output.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'

/** On Windows not everybody may make links. */
const testWithLinks = process.platform === 'win32' ? test.skip : test

function placeIn(workspace: string, file: string): OutputPlace {
  const found = findOutputPlace(workspace, file)
  if (found.kind === 'place') return found.place
  throw new Error(found.problem)
}

function problemIn(workspace: string, file: string): string | undefined {
  const found = findOutputPlace(workspace, file)
  return found.kind === 'problem' ? found.problem : undefined
}

test.each([
  ['visitors.csv', 'visitors.csv'],
  ['out/of/folders/visitors.csv', 'out/of/folders/visitors.csv'],
  ['./a/../visitors.csv', 'visitors.csv'],
  ['..visitors.csv', '..visitors.csv'],
])('a file may be at %s', (file, name) => {
  const workspace = temporaryFolder()
  expect(findOutputPlace(workspace, file)).toEqual({ kind: 'place', place: { file: join(workspace, name), name } })
  expect(namesIn(workspace)).toEqual([])
})

test('a file may be given by its absolute path', () => {
  const workspace = temporaryFolder()
  expect(placeIn(workspace, join(workspace, 'out', 'v.csv')).name).toBe('out/v.csv')
})

test.each([
  ['../visitors.csv', 'is outside the workspace'],
  ['a/../../visitors.csv', 'is outside the workspace'],
  [join(process.cwd(), '..', 'visitors.csv'), 'is outside the workspace'],
  ['.', 'is a folder'],
  ['folder', 'is a folder'],
  ['new/', 'is a folder'],
  ['.git/config', "is inside git's own folder"],
  ['sub/.GIT/hooks/pre-commit', "is inside git's own folder"],
  ['.git', "is inside git's own folder"],
  ['visitors\n.csv', 'must not contain control characters'],
  ['visitors\0.csv', 'must not contain control characters'],
  ['file.txt/visitors.csv', 'cannot be written there'],
])('a file may not be at %j', (file, problem) => {
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'folder'))
  writeFileSync(join(workspace, 'file.txt'), '')
  expect(problemIn(workspace, file)).toContain(problem)
})

test('without a workspace there is no place for a file', () => {
  expect(problemIn(join(temporaryFolder(), 'none'), 'visitors.csv')).toContain('cannot be written there')
})

testWithLinks('links that lead out of the workspace are found out, wherever they are in the path', () => {
  const [workspace, outside] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(outside, 'file'), 'kept')
  symlinkSync(outside, join(workspace, 'folder'))
  symlinkSync(join(outside, 'file'), join(workspace, 'file'))
  symlinkSync(join(outside, 'not-there'), join(workspace, 'dangling'))
  mkdirSync(join(workspace, '.git'))
  symlinkSync('.git', join(workspace, 'harmless'))

  expect(problemIn(workspace, 'folder/visitors.csv')).toBe('is outside the workspace')
  expect(problemIn(workspace, 'folder/new/visitors.csv')).toBe('is outside the workspace')
  expect(problemIn(workspace, 'file')).toBe('is outside the workspace')
  expect(problemIn(workspace, 'dangling')).toContain('cannot be written there')
  expect(problemIn(workspace, 'harmless/config')).toBe("is inside git's own folder")
})

testWithLinks('links that stay inside are followed, and the workspace itself may be reached through one', () => {
  const [workspace, links] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(workspace, 'real'))
  symlinkSync('real', join(workspace, 'link'))
  symlinkSync(workspace, join(links, 'workspace'))

  expect(placeIn(join(links, 'workspace'), 'link/visitors.csv')).toEqual({
    file: join(workspace, 'real', 'visitors.csv'),
    name: 'real/visitors.csv',
  })
})

test('a file is there once it is committed, and nothing is beside it', () => {
  const workspace = temporaryFolder()
  const file = openOutputFile(placeIn(workspace, 'visitors.csv'))
  file.write('a,')
  file.write('é\r\n')
  expect(namesIn(workspace)).not.toContain('visitors.csv')
  file.commit()
  file.discard()

  expect(namesIn(workspace)).toEqual(['visitors.csv'])
  expect(readFileSync(join(workspace, 'visitors.csv'), 'utf8')).toBe('a,é\r\n')
})

test('the file of an earlier run stays as it was until the new one is whole', () => {
  const workspace = temporaryFolder()
  const at = join(workspace, 'visitors.csv')
  writeFileSync(at, 'old')

  const discarded = openOutputFile(placeIn(workspace, 'visitors.csv'))
  discarded.write('half')
  discarded.discard()
  expect(readFileSync(at, 'utf8')).toBe('old')

  const committed = openOutputFile(placeIn(workspace, 'visitors.csv'))
  committed.write('new')
  expect(readFileSync(at, 'utf8')).toBe('old')
  committed.commit()
  expect(readFileSync(at, 'utf8')).toBe('new')
  expect(namesIn(workspace)).toEqual(['visitors.csv'])
})

test('a discarded file leaves no folder behind that was made for it, and all others alone', () => {
  const workspace = temporaryFolder()
  mkdirSync(join(workspace, 'there'))
  const file = openOutputFile(placeIn(workspace, 'there/new/newer/visitors.csv'))
  file.write('half')
  file.discard()
  file.discard()

  expect(namesIn(workspace)).toEqual(['there'])
})

test('a file whose folder went away is an error that names the code and no path, and leaves nothing', () => {
  const workspace = temporaryFolder()
  const file = openOutputFile(placeIn(workspace, 'out/visitors.csv'))
  rmSync(join(workspace, 'out'), { recursive: true, force: true })

  let error: unknown
  try {
    file.commit()
  } catch (caught) {
    error = caught
  }
  expect(error).toBeInstanceOf(OutputFileError)
  expect((error as Error).message).toBe('The file could not be written (ENOENT).')
  expect(() => {
    file.write('more')
  }).toThrow(OutputFileError)
  file.discard()
  expect(namesIn(workspace)).toEqual([])
})

test('a place that cannot be opened is an error, and the folders that were made for it are gone', () => {
  const workspace = temporaryFolder()
  const name = 'x'.repeat(300)
  expect(() => openOutputFile({ file: join(workspace, 'new', name, 'v.csv'), name })).toThrow(OutputFileError)
  expect(namesIn(workspace)).toEqual([])
})

test('a file that grows beyond its budget is refused, says so, and leaves nothing behind', () => {
  const workspace = temporaryFolder()
  const file = openOutputFile(placeIn(workspace, 'visitors.csv'), 4)
  file.write('éé')
  let error: unknown
  try {
    file.write('x')
  } catch (caught) {
    error = caught
  }
  file.discard()
  expect(error).toBeInstanceOf(OutputFileError)
  expect(error).toMatchObject({ message: 'The file would be larger than 4 bytes.' })
  expect(namesIn(workspace)).toEqual([])
})

testWithLinks('what is neither file nor folder is not written to: a pipe would wait for its reader', () => {
  const workspace = temporaryFolder()
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  expect(problemIn(workspace, 'pipe')).toBe('is not a plain file')
})

test('a file that could not be put in its place does not close the one that is opened next', () => {
  const workspace = temporaryFolder()
  const lost = openOutputFile(placeIn(workspace, 'lost.csv'))
  mkdirSync(join(workspace, 'lost.csv'))
  expect(lost.commit).toThrow(OutputFileError)
  const next = openOutputFile(placeIn(workspace, 'next.csv'))
  lost.discard()
  next.write('whole')
  next.commit()
  expect(readFileSync(join(workspace, 'next.csv'), 'utf8')).toBe('whole')
})
