import { StringDecoder } from 'node:string_decoder'

export interface LineSplitter {
  readonly write: (chunk: Buffer) => string
  readonly end: () => void
}

/** Splits a stream of bytes into lines as the runner does (.NET's ReadLine): at LF, CR, or CRLF. */
export function splitIntoLines(onLine: (line: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const cut = (text: string): void => {
    // A CR at the end may be the first half of CRLF, so it is kept until the next chunk.
    const parts = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = parts.pop() ?? ''
    parts.forEach(onLine)
  }
  return {
    write: (chunk) => {
      const text = decoder.write(chunk)
      cut(text)
      return text
    },
    end: () => {
      cut(decoder.end())
      if (rest !== '') onLine(rest.replace(/\r$/, ''))
      rest = ''
    },
  }
}
