/** A sentence as it is said to people: with a period, unless it ends in a mark of its own. */
export function asSentence(text: string): string {
  return /[.!?:…]["'”)]*$/.test(text) ? text : `${text}.`
}

/** `1 file`, `2 files` */
export const formatCount = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** Sentences as one text, without what is none. After a list each gets a line of its own. */
export function joinSentences(sentences: readonly (string | false | undefined)[]): string {
  const said = sentences.filter(Boolean) as string[]
  return said.map(asSentence).join(said.some((sentence) => sentence.includes('\n')) ? '\n' : ' ')
}

/** `a`, `a and b`, `a, b and c` */
export function joinWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ')
}
