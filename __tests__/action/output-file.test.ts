import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from '@jest/globals'
import { OutputFileError, writeFileAtomically } from '../../src/action/workspace-file.ts'
import { listNames, createTemporaryFolder } from '../../testing/temporary-folder.ts'

const isWindows = process.platform === 'win32'

let workspace: string
beforeEach(() => {
  workspace = createTemporaryFolder()
})

type Write = (text: string) => void
function writeFile(name: string, fill: (write: Write) => void, maxBytes?: number): Promise<void> {
  return writeFileAtomically(join(workspace, name), (write) => Promise.resolve(write).then(fill), maxBytes)
}
const read = (name: string): string => readFileSync(join(workspace, name), 'utf8')
const writeHalf = (write: Write): never => {
  write('half')
  throw new Error('stopped')
}

test('replaces the file of an earlier run when the new file is complete, and leaves no other file', async () => {
  writeFileSync(join(workspace, 'visitors.csv'), 'old')
  await expect(writeFile('visitors.csv', writeHalf)).rejects.toThrow('stopped')
  expect([listNames(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'old'])

  await writeFile('visitors.csv', (write) => {
    write('a,')
    write('é\r\n')
    expect(read('visitors.csv')).toBe('old')
  })
  expect([listNames(workspace), read('visitors.csv')]).toEqual([['visitors.csv'], 'a,é\r\n'])
})

test('reports the error code and no path if the folder was removed, and leaves nothing behind', async () => {
  let more: Write | undefined
  const removeFolder = (write: Write): void => {
    rmSync(join(workspace, 'out'), { recursive: true, force: true })
    more = write
  }
  const expected = new OutputFileError('The file could not be written (ENOENT).', '')
  await expect(writeFile('out/visitors.csv', removeFolder)).rejects.toThrow(expected)
  expect(() => more?.('more')).toThrow(OutputFileError)
  expect(listNames(workspace)).toEqual([])
})

test('advises to choose shorter names if the path is too long', async () => {
  const error = { name: 'OutputFileError', hint: expect.stringContaining('too long') as unknown }
  await expect(writeFile(`${'x'.repeat(300)}/v.csv`, writeHalf)).rejects.toMatchObject(isWindows ? {} : error)
  expect(listNames(workspace)).toEqual([])
})

test('rejects a file that exceeds its limit, and leaves nothing behind', async () => {
  const fill = (write: Write): void => {
    write('éé')
    expect(() => {
      write('x')
    }).toThrow(new OutputFileError('The file would be larger than 4 bytes.', ''))
    throw new Error('stopped')
  }
  await expect(writeFile('visitors.csv', fill, 4)).rejects.toThrow('stopped')
  expect(listNames(workspace)).toEqual([])
})

test('discards an incomplete file when the process exits, and never closes the next file', async () => {
  let discard: (() => void) | undefined
  const failLater = (): void => {
    discard = process.listeners('exit').at(-1) as () => void
    mkdirSync(join(workspace, 'failed.csv'))
  }
  await expect(writeFile('failed.csv', failLater)).rejects.toThrow(OutputFileError)
  await writeFile('next.csv', (write) => {
    discard?.()
    write('whole')
  })
  expect(read('next.csv')).toBe('whole')
  const ending = writeFile('half.csv', () => process.listeners('exit').at(-1)?.(0))
  await expect(ending).rejects.toThrow(OutputFileError)
  expect(listNames(workspace)).toEqual(['failed.csv', 'next.csv'])
})

/** Some file systems accept each write, and notice that the disk is full when the file is flushed. */
const FULL_WHEN_FLUSHED = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  fs.fsyncSync = () => {
    throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  const [, module, file] = process.argv
  const { writeFileAtomically } = await import(module)
  const write = writeFileAtomically(file, async (write) => write('whole'))
  console.log(await write.then(() => 'written', ({ message }) => message))
`

test('a disk that is full only when the file is flushed leaves no file', () => {
  const module = new URL('../../src/action/workspace-file.ts', import.meta.url).href
  const args = ['--no-warnings', '--input-type=module', '--eval', FULL_WHEN_FLUSHED, module, join(workspace, 'v.csv')]
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
  expect(output).toBe('The file could not be written (ENOSPC).\n')
  expect(listNames(workspace)).toEqual([])
})
