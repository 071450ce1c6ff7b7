import { mutantsOfSending } from './mutants-of-sending.mjs'
import { mutantsOfTheHandOff } from './mutants-of-the-hand-off.mjs'
import { mutantsOfTexts } from './mutants-of-texts.mjs'
import { mutantsOfWaiting } from './mutants-of-waiting.mjs'

/**
 * A small defect put into the code on purpose. Tests that let it live prove nothing about the behaviour it takes away.
 * @typedef {object} Mutant
 * @property {string} name
 * @property {string} sentence What goes wrong with it.
 * @property {string} file
 * @property {string} find Must be in the file exactly once.
 * @property {string} replace
 * @property {readonly string[]} tests The test files that must kill it, each by itself.
 */

/** @type {readonly Mutant[]} */
export const MUTANTS = [...mutantsOfSending, ...mutantsOfWaiting, ...mutantsOfTexts, ...mutantsOfTheHandOff]
