import * as fs from 'node:fs'
import * as path from 'node:path'

export class OutputFileError extends Error {
  override readonly name = 'OutputFileError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Of an error of the system its code (`ENOSPC`) is told, and none of its text, which holds paths. */
function orThrow(act: () => void): void {
  try {
    act()
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw new OutputFileError(
      `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
      'Check the free space of the runner, and who may write to the folder of the file.',
    )
  }
}

/** 512 MiB: a hundred times what a large site needs, and less than the free space of any runner. */
const MOST_BYTES = 512 * 1024 * 1024

/** The folders that are missing on the way to `folder` and `folder` itself, the deepest first. */
function missingFolders(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))]
}

/** In place of a descriptor: whatever is asked of it fails. */
const CLOSED = -1

/**
 * Writes a file that is there as a whole, or not at all and with nothing left behind: until it is whole, all is in a
 * temporary file beside it, so that the rename stays within one file system. Folders that are missing are made.
 * @param fill begins once the place is known to be good, and gives the texts of the file, which are written synchronously:
 *   then it can be discarded while the process ends, too
 * @param mostBytes what is larger is refused, since what is written comes from a stranger
 * @throws OutputFileError, and what `fill` throws
 */
export async function writeWholeFile(
  file: string,
  fill: (write: (text: string) => void) => Promise<void>,
  mostBytes = MOST_BYTES,
): Promise<void> {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${crypto.randomUUID()}.part`)
  const madeFolders = missingFolders(folder)
  let descriptor = CLOSED
  let bytes = 0

  function write(text: string): void {
    bytes += Buffer.byteLength(text)
    if (bytes > mostBytes)
      throw new OutputFileError(
        `The file would be larger than ${mostBytes} bytes.`,
        'Export less in one step, such as fewer days.',
      )
    orThrow(() => {
      fs.writeFileSync(descriptor, text)
    })
  }
  function close(): void {
    const open = descriptor
    // What is opened next may get the same number.
    descriptor = CLOSED
    fs.closeSync(open)
  }
  function discard(): void {
    const removals = madeFolders.map((made) => fs.rmdirSync.bind(fs, made))
    for (const tidy of [close, fs.unlinkSync.bind(fs, temporary), ...removals]) {
      try {
        tidy()
      } catch {
        // What cannot be tidied up must not hide why it had to be. Of a whole file the folder is not empty, and stays.
      }
    }
  }

  // A second signal, or a defect elsewhere, ends the process at once.
  process.once('exit', discard)
  try {
    orThrow(() => {
      fs.mkdirSync(folder, { recursive: true })
      descriptor = fs.openSync(temporary, 'wx')
    })
    await fill(write)
    orThrow(() => {
      // Some file systems notice that the disk is full only now.
      fs.fsyncSync(descriptor)
      close()
      fs.renameSync(temporary, file)
    })
  } finally {
    discard()
    process.off('exit', discard)
  }
}
