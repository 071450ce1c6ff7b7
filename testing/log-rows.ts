import { type History, parseHistory } from '../src/agent/history/state.ts'
import type { PlayedStep } from './play-step.ts'

/** Returns the oldest comment of a pull request, which is the action's. */
export const getMarkerComment = ({ docs }: Pick<PlayedStep, 'docs'>, number = 1): string =>
  docs.pulls[number]?.comments[0]?.body ?? ''

/** Reads the state in the history comment. */
export const readHistory = (step: Pick<PlayedStep, 'docs'>, number = 1): History | undefined =>
  parseHistory(getMarkerComment(step, number))

/** Lists the results in the rows of the history comment, as text. */
export const listResults = (step: Pick<PlayedStep, 'docs'>, number = 1): string[] =>
  getMarkerComment(step, number)
    .split('\n')
    .filter((line) => line.startsWith('| 20'))
    .map((line) => (line.replaceAll(/<[^>]*>/g, '').split('|')[3] ?? '').trim())
