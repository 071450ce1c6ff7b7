import { StringDecoder } from 'node:string_decoder'

/**
 * Cuts a stream of bytes into lines as the runner does (.NET's ReadLine): at a line feed, at a return, or at both together.
 *
 * @param {(line: string) => void} onLine
 * @returns {{ write: (chunk: Buffer) => string, end: () => void }} `write` gives back the chunk's text
 */
export function splitIntoLines(onLine) {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const cut = (/** @type {string} */ text) => {
    // A return at the very end may be the first half of a line end, so it waits for what comes next.
    const parts = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = parts.pop() ?? ''
    parts.forEach(onLine)
  }
  return {
    write(chunk) {
      const text = decoder.write(chunk)
      cut(text)
      return text
    },
    end() {
      cut(decoder.end())
      if (rest !== '') onLine(rest.replace(/\r$/, ''))
      rest = ''
    },
  }
}
