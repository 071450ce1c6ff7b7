import { answerWithComment, changedSince, commentBody, edit, react, withText } from './comment-body.ts'
import { type Operations, reads, withIssue, writes } from './operation.ts'
import { issueFields } from './pull-body.ts'
import { sortIssues } from './pull-operations.ts'
import { type Call, type Reply, created, listReply, ok, spelledIn } from './reply.ts'
import { labelBody } from './resource-body.ts'
import { closeIssue, writeComment } from './repository-events.ts'
import type { Comment, IssueState } from './issue-state.ts'

/** Either is enough for a pull request; for an issue the first is. */
const BOTH = ['issues', 'pull-requests'] as const

function issueBody(call: Call, number: number, issue: IssueState): object {
  const { name, baseUrl } = call
  const page = `${baseUrl}/${name}/${'branch' in issue ? 'pull' : 'issues'}/${number}`
  return {
    ...issueFields(call, number, issue),
    html_url: page,
    comments: issue.comments.length,
    ...('branch' in issue ? { pull_request: { html_url: page } } : {}),
  }
}

/** Whoever may read no pull requests sees none in the list, and no refusal. */
function listIssues(call: Call): Reply {
  const { issues, pulls } = call.repository
  const labels = call.query.get('labels')?.split(',') ?? []
  const seen = { ...issues, ...(call.state.permissions['pull-requests'] === undefined ? {} : pulls) }
  const found = sortIssues(call, seen).filter(([, issue]) =>
    labels.every((label) => spelledIn(issue.labels, label) !== undefined),
  )
  return listReply(call, found, ([number, issue]) => issueBody(call, number, issue))
}

function withComment(answer: (comment: Comment, call: Call, issue: IssueState) => Reply): (call: Call) => Reply {
  return (call) => {
    const { issues, pulls } = call.repository
    return answerWithComment(call, [...Object.values(issues), ...Object.values(pulls)], (one) => one.comments, answer)
  }
}

/** One that the repository does not know is made. */
function addLabels(issue: IssueState, { body, repository, nowMs }: Call): Reply {
  const given: readonly unknown[] = Array.isArray(body['labels']) ? body['labels'] : []
  for (const asked of given.filter((one) => typeof one === 'string')) {
    const label = spelledIn(repository.labels, asked) ?? asked
    if (spelledIn(issue.labels, label) === undefined) issue.labels.push(label)
    if (!repository.labels.includes(label)) repository.labels.push(label)
  }
  issue.updatedAtMs = nowMs
  return ok(issue.labels.map((name) => labelBody(repository, name)))
}

/** Issues, and what pull requests have in common with them: labels, comments and reactions. */
export const ISSUE_OPERATIONS: Operations = {
  'issues/list-for-repo': reads('/issues', ['issues'], listIssues),
  'issues/get': reads(
    '/issues/{issue_number}',
    BOTH,
    withIssue((issue, number, call) => ok(issueBody(call, number, issue))),
  ),
  'issues/update': writes(
    'PATCH',
    '/issues/{issue_number}',
    BOTH,
    withIssue((issue, number, call) => {
      if (call.body['state'] === 'closed') closeIssue(call.repository, issue, call.nowMs)
      return ok(issueBody(call, number, issue))
    }),
  ),
  'issues/list-comments': reads(
    '/issues/{issue_number}/comments',
    BOTH,
    withIssue((issue, _number, call) =>
      listReply(call, changedSince(call, issue.comments), (comment) => commentBody(call, comment)),
    ),
  ),
  'issues/create-comment': writes(
    'POST',
    '/issues/{issue_number}/comments',
    BOTH,
    withIssue((issue, _number, call) =>
      withText(issue, call, (text) => {
        const comment = writeComment(call.state, issue, call.state.identity, text, call.nowMs)
        return created(commentBody(call, comment))
      }),
    ),
  ),
  'issues/get-comment': reads(
    '/issues/comments/{comment_id}',
    BOTH,
    withComment((comment, call) => ok(commentBody(call, comment))),
  ),
  'issues/update-comment': writes('PATCH', '/issues/comments/{comment_id}', BOTH, withComment(edit(commentBody))),
  'issues/add-labels': writes(
    'POST',
    '/issues/{issue_number}/labels',
    BOTH,
    withIssue((issue, _number, call) => addLabels(issue, call)),
  ),
  'reactions/create-for-issue-comment': writes(
    'POST',
    '/issues/comments/{comment_id}/reactions',
    BOTH,
    withComment(({ reactions }, call) => react(reactions, call)),
  ),
}
