import { ActionError, rethrowFatal } from '../../runtime/errors.ts'

const HINT =
  'Run the step again when it can be asked. With `on-open-pr: new` nobody is asked, and each run starts a job.'

/**
 * Who asked for one pull request must not get two because a question has no answer.
 * @throws ActionError `not-sent` in the place of any other but `cancelled`
 */
export async function orAbort<T>(unknown: string, perform: () => Promise<T>, hint = HINT): Promise<T> {
  try {
    return await perform()
  } catch (caught) {
    const error = rethrowFatal(caught)
    if (error.code === 'not-sent') throw error
    throw new ActionError('not-sent', `${unknown}: ${error.message}`, { hint: error.hint ?? hint })
  }
}
