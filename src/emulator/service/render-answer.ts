import { type Answer, type ServiceResponse, jsonResponse } from '../http/exchange.ts'
import { HOSTILE_TEXT } from './hostile-text.ts'
import type { Operation } from './operations.ts'
import type { Scenario } from './scenarios.ts'

/**
 * An answer in the words of the service. Section 7 leaves the shape of errors open: here it is `{"error": string}`, and
 * the analytics operation adds `details`, one `{message}` for each problem.
 */
export function renderAnswer(
  answer: Answer,
  operation: Operation | undefined,
  texts: Scenario['texts'],
): ServiceResponse {
  if (answer.kind === 'done') return jsonResponse(answer.status, answer.body)
  const problems = answer.problems.map((problem) => (texts === 'hostile' ? `${problem}${HOSTILE_TEXT}` : problem))
  const error = problems.join(' ')
  const body = operation === 'get-visitors' ? { error, details: problems.map((message) => ({ message })) } : { error }
  return jsonResponse(answer.status, body, answer.headers)
}
