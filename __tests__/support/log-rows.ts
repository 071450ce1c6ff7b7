import type { PlayedStep } from './play-step.ts'

/** Returns the oldest comment of a pull request, which is the action's. */
export const getMarkerComment = ({ docs }: Pick<PlayedStep, 'docs'>, number = 1): string =>
  docs.pulls[number]?.comments[0]?.body ?? ''

/** Lists the results in the rows of the log, as text. */
export const listResults = (step: Pick<PlayedStep, 'docs'>, number = 1): string[] =>
  getMarkerComment(step, number)
    .split('\n')
    .filter((line) => line.includes('<!-- row='))
    .map(
      (line) =>
        line
          .replaceAll(/<[^>]*>/g, '')
          .split('|')[3]
          ?.trim() ?? '',
    )
