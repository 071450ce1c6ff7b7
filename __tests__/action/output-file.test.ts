import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from '@jest/globals'
import { OutputFile, OutputFileError } from '../../src/action/output-file.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'

let workspace: string
beforeEach(() => {
  workspace = temporaryFolder()
})

const fileAt = (name: string, mostBytes?: number) => new OutputFile({ file: join(workspace, name), name }, mostBytes)
function open(name: string, mostBytes?: number): OutputFile {
  const file = fileAt(name, mostBytes)
  file.open()
  return file
}
const read = (name: string): string => readFileSync(join(workspace, name), 'utf8')

test('a file is there once it is whole, nothing is beside it, and until then that of an earlier run stays', () => {
  writeFileSync(join(workspace, 'visitors.csv'), 'old')
  const discarded = open('visitors.csv')
  discarded.write('half')
  discarded.discard()
  expect([namesIn(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'old'])

  const file = open('visitors.csv')
  file.write('a,')
  file.write('é\r\n')
  expect(read('visitors.csv')).toBe('old')
  file.commit()
  file.discard()
  expect([namesIn(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'a,é\r\n'])
})

test('a discarded file leaves no folder behind that was made for it, and all others alone', () => {
  mkdirSync(join(workspace, 'there'))
  const file = open('there/new/newer/visitors.csv')
  file.write('half')
  file.discard()
  file.discard()

  expect(namesIn(workspace)).toEqual(['there'])
})

test('a file whose folder went away is an error that names the code and no path, and leaves nothing', () => {
  const file = open('out/visitors.csv')
  rmSync(join(workspace, 'out'), { recursive: true, force: true })

  expect(() => {
    file.commit()
  }).toThrow(new OutputFileError('The file could not be written (ENOENT).', ''))
  expect(() => {
    file.write('more')
  }).toThrow(OutputFileError)
  file.discard()
  expect(namesIn(workspace)).toEqual([])
})

test('a place that cannot be opened is an error, and the folders that were made for it are gone', () => {
  const file = fileAt(`new/${'x'.repeat(300)}/v.csv`)
  expect(() => {
    file.open()
  }).toThrow(OutputFileError)
  file.discard()
  expect(namesIn(workspace)).toEqual([])
})

test('a file that grows beyond its budget is refused, says so, and leaves nothing behind', () => {
  const file = open('visitors.csv', 4)
  file.write('éé')
  expect(() => {
    file.write('x')
  }).toThrow(new OutputFileError('The file would be larger than 4 bytes.', ''))
  file.discard()
  expect(namesIn(workspace)).toEqual([])
})

test('a file that could not be put in its place does not close the one that is opened next', () => {
  const first = open('lost.csv')
  mkdirSync(join(workspace, 'lost.csv'))
  expect(() => {
    first.commit()
  }).toThrow(OutputFileError)
  const next = open('next.csv')
  first.discard()
  next.write('whole')
  next.commit()
  expect(read('next.csv')).toBe('whole')
})
