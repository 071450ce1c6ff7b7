/**
 * What a spreadsheet may take for the beginning of a formula, in full-width forms too, and behind white space and invisible
 * characters, which some drop. Only texts get here: a number of the service is never negative.
 */
const FORMULA_START = /^(?:[\t\r]|[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u

/** A text as one cell of RFC 4180. An apostrophe before what looks like a formula makes spreadsheets read it as text. */
export function csvCell(text: string): string {
  const inert = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
