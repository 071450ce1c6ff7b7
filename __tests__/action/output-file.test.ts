import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from '@jest/globals'
import { OutputFileError, writeWholeFile } from '../../src/action/workspace-file.ts'
import { namesIn, temporaryFolder } from '../support/temporary-folder.ts'

let workspace: string
beforeEach(() => {
  workspace = temporaryFolder()
})

type Write = (text: string) => void
function writeFile(name: string, fill: (write: Write) => void, mostBytes?: number): Promise<void> {
  return writeWholeFile(join(workspace, name), (write) => Promise.resolve(write).then(fill), mostBytes)
}
const read = (name: string): string => readFileSync(join(workspace, name), 'utf8')
const writeHalf = (write: Write): never => {
  write('half')
  throw new Error('stopped')
}

test('a file is there once it is whole, nothing is beside it, and until then that of an earlier run stays', async () => {
  writeFileSync(join(workspace, 'visitors.csv'), 'old')
  await expect(writeFile('visitors.csv', writeHalf)).rejects.toThrow('stopped')
  expect([namesIn(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'old'])

  await writeFile('visitors.csv', (write) => {
    write('a,')
    write('é\r\n')
    expect(read('visitors.csv')).toBe('old')
  })
  expect([namesIn(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'a,é\r\n'])
})

test('a file that stays half leaves no folder behind that was made for it, and all others alone', async () => {
  mkdirSync(join(workspace, 'there'))
  await expect(writeFile('there/new/newer/visitors.csv', writeHalf)).rejects.toThrow('stopped')
  expect(namesIn(workspace)).toEqual(['there'])
})

test('a file whose folder went away is an error that names the code and no path, and leaves nothing', async () => {
  let more: Write | undefined
  const losing = (write: Write): void => {
    rmSync(join(workspace, 'out'), { recursive: true, force: true })
    more = write
  }
  const lost = new OutputFileError('The file could not be written (ENOENT).', '')
  await expect(writeFile('out/visitors.csv', losing)).rejects.toThrow(lost)
  expect(() => more?.('more')).toThrow(OutputFileError)
  expect(namesIn(workspace)).toEqual([])
})

test('a place that cannot be opened is an error, and the folders that were made for it are gone', async () => {
  await expect(writeFile(`new/${'x'.repeat(300)}/v.csv`, writeHalf)).rejects.toThrow(OutputFileError)
  expect(namesIn(workspace)).toEqual([])
})

test('a file that grows beyond its budget is refused, says so, and leaves nothing behind', async () => {
  const fill = (write: Write): void => {
    write('éé')
    expect(() => {
      write('x')
    }).toThrow(new OutputFileError('The file would be larger than 4 bytes.', ''))
    throw new Error('stopped')
  }
  await expect(writeFile('visitors.csv', fill, 4)).rejects.toThrow('stopped')
  expect(namesIn(workspace)).toEqual([])
})

test('a process that ends leaves no half file, and of one that was given up it does not close the next', async () => {
  let discard: (() => void) | undefined
  const spoiling = (): void => {
    discard = process.listeners('exit').at(-1) as () => void
    mkdirSync(join(workspace, 'lost.csv'))
  }
  await expect(writeFile('lost.csv', spoiling)).rejects.toThrow(OutputFileError)
  await writeFile('next.csv', (write) => {
    discard?.()
    write('whole')
  })
  expect(read('next.csv')).toBe('whole')
  const ending = writeFile('half.csv', () => process.listeners('exit').at(-1)?.(0))
  await expect(ending).rejects.toThrow(OutputFileError)
  expect(namesIn(workspace)).toEqual(['lost.csv', 'next.csv'])
})
