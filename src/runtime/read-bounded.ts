class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE'
}

/**
 * Reads a body to its end.
 * @throws Error as soon as it is longer than `mostBytes`, with the rest unread
 */
export async function readBounded(body: AsyncIterable<Uint8Array> | null, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new AnswerTooLarge('The answer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
