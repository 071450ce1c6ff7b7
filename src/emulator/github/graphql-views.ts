import { rollupView } from './graphql-check-views.ts'
import { type Paging, list, paged } from './graphql-list.ts'
import { refuse, requireAccess } from './graphql-refusals.ts'
import { findCommit, makeTestMerge } from './history.ts'
import { type Comment, type IssueState, type Reaction, isAssignedTo, isMentioned } from './issue-state.ts'
import { countingReviews, readMergeState, reviewDecision } from './mergeability.ts'
import { nodeId } from './node-id.ts'
import { getAssociation, getHead, isMergeable, openHeadRepository, shownChange } from './pull-body.ts'
import { type MergeMethod, type PullState, type Review, requestedReviewers } from './pull-state.ts'
import { type Call, spelledIn, wireTime } from './reply.ts'
import { describeMerge } from './repository-events.ts'
import type { Commit, RepositoryState } from './repository-state.ts'
import { fileBody, labelBody, userBody } from './resource-body.ts'

/** Bots have no `[bot]` in their names here, except as `viewer`. */
export function actorView({ state, baseUrl }: Pick<Call, 'state' | 'baseUrl'>, login: string): object {
  const { id, type } = userBody(state, login)
  return {
    __typename: type,
    id: nodeId('U', 0, login),
    databaseId: id,
    login: login.replace(/\[bot\]$/, ''),
    name: null,
    url: `${baseUrl}/${login}`,
  }
}

function ownerView({ name, baseUrl }: Call): object {
  const login = name.split('/')[0] ?? ''
  return { __typename: 'Organization', id: nodeId('U', 0, login), login, name: login, url: `${baseUrl}/${login}` }
}

export function labelView(call: Call, name: string): object {
  const { repository, baseUrl } = call
  return {
    __typename: 'Label',
    ...labelBody(call, name),
    isDefault: call.repository.labelDetails[name]?.isDefault ?? false,
    id: nodeId('LA', repository.id, name),
    url: `${baseUrl}/${call.name}/labels/${encodeURIComponent(name)}`,
  }
}

const REACTIONS = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  hooray: 'HOORAY',
  confused: 'CONFUSED',
  heart: 'HEART',
  rocket: 'ROCKET',
  eyes: 'EYES',
} as const

function reactionGroups(reactions: readonly Reaction[] = []): readonly object[] {
  return Object.entries(REACTIONS).map(([name, content]) => ({
    content,
    users: { totalCount: reactions.filter((one) => one.content === name).length },
  }))
}

/** @param number of the issue or pull request that the comment is on */
export function commentView(call: Call, number: number, comment: Comment): object {
  const { id, user, body, createdAtMs, updatedAtMs = createdAtMs, association, reactions } = comment
  const kind = number in call.repository.pulls ? 'pull' : 'issues'
  return {
    __typename: 'IssueComment',
    id: nodeId('IC', call.repository.id, id),
    databaseId: id,
    author: actorView(call, user),
    authorAssociation: association ?? getAssociation(call, user),
    body,
    createdAt: wireTime(createdAtMs),
    updatedAt: wireTime(updatedAtMs),
    url: `${call.baseUrl}/${call.name}/${kind}/${number}#issuecomment-${id}`,
    isMinimized: false,
    minimizedReason: null,
    includesCreatedEdit: updatedAtMs !== createdAtMs,
    reactionGroups: reactionGroups(reactions),
    viewerDidAuthor: user === call.state.identity,
  }
}

const none = (name: string) =>
  paged(
    name,
    () => [],
    () => ({}),
  )

/** What an issue and a pull request have in common. */
function conversationView(call: Call, number: number, issue: IssueState): object {
  const { title, body, user, locked, labels, assignees, comments, createdAtMs, updatedAtMs, closedAtMs } = issue
  return {
    databaseId: 1_000_000 + number,
    number,
    title,
    body,
    author: actorView(call, user),
    authorAssociation: getAssociation(call, user),
    createdAt: wireTime(createdAtMs),
    updatedAt: wireTime(updatedAtMs),
    closed: issue.state === 'closed',
    closedAt: issue.state === 'closed' ? wireTime(closedAtMs ?? updatedAtMs) : null,
    locked,
    labels: paged(
      'labels',
      () => labels,
      (name) => labelView(call, name),
    ),
    assignees: paged(
      'assignees',
      () => assignees,
      (login) => actorView(call, login),
    ),
    comments: paged(
      'comments',
      () => comments,
      (comment) => commentView(call, number, comment),
    ),
    milestone: null,
    projectCards: none('projectCards'),
    projectItems: none('projectItems'),
    reactionGroups: reactionGroups(),
    repository: () => repositoryView(call),
  }
}

export function issueView(call: Call, number: number, issue: IssueState): object {
  requireAccess({ ...call, params: { issue_number: String(number) } }, 'issues/get')
  const { stateReason } = issue
  return {
    __typename: 'Issue',
    ...conversationView(call, number, issue),
    id: nodeId('I', call.repository.id, number),
    url: `${call.baseUrl}/${call.name}/issues/${number}`,
    state: issue.state.toUpperCase(),
    stateReason: stateReason?.toUpperCase() ?? (issue.state === 'closed' ? 'COMPLETED' : null),
    isPinned: false,
  }
}

function gitActorView(call: Call, login: string): object {
  const user = call.state.users[login]?.type === 'User' ? actorView(call, login) : null
  return { name: login, email: `${login}@users.noreply.example`, user }
}

function commitView(call: Call, { sha, message, author, atMs }: Commit): object {
  const [messageHeadline = '', ...rest] = message.split('\n')
  return {
    __typename: 'Commit',
    id: nodeId('C', call.repository.id, sha),
    oid: sha,
    url: `${call.baseUrl}/${call.name}/commit/${sha}`,
    message,
    messageHeadline,
    messageBody: rest.join('\n').trim(),
    committedDate: wireTime(atMs),
    authoredDate: wireTime(atMs),
    author: gitActorView(call, author),
    authors: paged(
      'authors',
      () => [author],
      (login) => gitActorView(call, login),
    ),
    statusCheckRollup: () => rollupView(call, sha),
  }
}

function toCommit(call: Call, sha: string | undefined): object | null {
  const commit = sha === undefined ? undefined : findCommit(call.repository, sha)
  return commit === undefined ? null : commitView(call, commit)
}

export function reviewView(call: Call, number: number, review: Review): object {
  const { id, user, body, state, headSha, submittedAtMs } = review
  return {
    id: nodeId('PRR', call.repository.id, id),
    databaseId: id,
    author: actorView(call, user),
    authorAssociation: getAssociation(call, user),
    body,
    state,
    submittedAt: submittedAtMs === undefined ? null : wireTime(submittedAtMs),
    commit: () => toCommit(call, headSha),
    url: `${call.baseUrl}/${call.name}/pull/${number}#pullrequestreview-${id}`,
    reactionGroups: reactionGroups(),
  }
}

function requestView(call: Call, name: string): object {
  const slug = name.split('/')[1]
  const team = { __typename: 'Team', id: nodeId('U', 0, name), name: slug, slug, organization: ownerView(call) }
  return { id: `RR_${name}`, requestedReviewer: slug === undefined ? actorView(call, name) : team }
}

function protectionView(repository: RepositoryState, branch: string): object | null {
  const protection = repository.protections[branch]
  if (protection === undefined) return null
  const { requiredChecks, requiredApprovals, isStrict = false } = protection
  return {
    id: `BPR_${branch}`,
    pattern: branch,
    requiresStatusChecks: requiredChecks.length > 0,
    requiresStrictStatusChecks: isStrict,
    requiredStatusCheckContexts: requiredChecks,
    requiresApprovingReviews: requiredApprovals > 0,
    requiredApprovingReviewCount: requiredApprovals,
  }
}

function refView(call: Call, branch: string): object | null {
  const { repository } = call
  const sha = repository.branches[branch]
  if (sha === undefined) return null
  return {
    id: `REF_${branch}`,
    name: branch,
    prefix: 'refs/heads/',
    target: () => toCommit(call, sha),
    branchProtectionRule: protectionView(repository, branch),
  }
}

function autoMergeView(call: Call, { autoMerge }: PullState): object | null {
  if (autoMerge === undefined) return null
  const { enabledBy, enabledAtMs, method, title = null, message = null } = autoMerge
  return {
    authorEmail: null,
    commitHeadline: title,
    commitBody: message,
    mergeMethod: method.toUpperCase(),
    enabledAt: wireTime(enabledAtMs),
    enabledBy: actorView(call, enabledBy),
  }
}

/** Whether and how a pull request can be merged. */
function mergeFields(call: Call, number: number, pull: PullState): object {
  const { repository, name, nowMs } = call
  const isKnown = (): boolean => isMergeable(call, pull) !== null
  const text =
    (part: 'title' | 'message') =>
    ({ mergeType = 'MERGE' }: { readonly mergeType?: string }): string =>
      describeMerge(repository, name, number, { method: mergeType.toLowerCase() as MergeMethod })[part]
  const { merge } = pull
  const merger = merge?.by ?? findCommit(repository, merge?.sha ?? '')?.author
  return {
    mergeable: () => (isKnown() ? (pull.conflict ? 'CONFLICTING' : 'MERGEABLE') : 'UNKNOWN'),
    mergeStateStatus: () => (isKnown() ? readMergeState(repository, pull, nowMs).toUpperCase() : 'UNKNOWN'),
    merged: merge !== undefined,
    mergedAt: merge === undefined ? null : wireTime(merge.atMs),
    mergedBy: merger === undefined ? null : actorView(call, merger),
    mergeCommit: () => toCommit(call, merge?.sha),
    potentialMergeCommit: () => toCommit(call, makeTestMerge(repository, pull)?.sha),
    autoMergeRequest: autoMergeView(call, pull),
    reviewDecision: () => reviewDecision(repository, pull) ?? null,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    viewerMergeHeadlineText: text('title'),
    viewerMergeBodyText: text('message'),
  }
}

function changeFields(call: Call, number: number, pull: PullState): object {
  const change = (): ReturnType<typeof shownChange> => shownChange(call, pull)
  const sum = (field: 'additions' | 'deletions') => (): number =>
    change()
      .files.map(fileBody)
      .reduce((total, file) => total + file[field], 0)
  return {
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: () => change().files.length,
    commits: paged(
      'commits',
      () => change().ahead,
      (commit) => ({
        id: nodeId('C', call.repository.id, `${number}/${commit.sha}`),
        commit: commitView(call, commit),
        url: `${call.baseUrl}/${call.name}/pull/${number}/commits/${commit.sha}`,
      }),
    ),
    files: paged(
      'files',
      () => change().files.map(fileBody),
      ({ filename: path, additions, deletions, status = 'modified' }) => {
        const changeType = status === 'removed' ? 'DELETED' : status.toUpperCase()
        return { path, additions, deletions, changeType }
      },
    ),
    statusCheckRollup: () => rollupView(call, getHead(call, pull)),
  }
}

export function pullView(call: Call, number: number, pull: PullState): object {
  requireAccess(call, 'pulls/get')
  const { repository, baseUrl, name } = call
  const { draft, branch, base, fork, merge, reviews } = pull
  const headCall = openHeadRepository(call, pull)
  const show = (review: Review): object => reviewView(call, number, review)
  return {
    __typename: 'PullRequest',
    ...conversationView(call, number, pull),
    ...mergeFields(call, number, pull),
    ...changeFields(call, number, pull),
    id: nodeId('PR', repository.id, number),
    fullDatabaseId: String(1_000_000 + number),
    url: `${baseUrl}/${name}/pull/${number}`,
    state: merge === undefined ? pull.state.toUpperCase() : 'MERGED',
    isDraft: draft,
    isCrossRepository: fork !== undefined,
    maintainerCanModify: false,
    baseRef: () => refView(call, base),
    baseRefName: base,
    baseRefOid: pull.closedBaseSha ?? repository.branches[base] ?? '',
    headRef: () => headCall && refView(headCall, branch),
    headRefName: branch,
    headRefOid: getHead(call, pull),
    headRepository: () => headCall && repositoryView(headCall),
    headRepositoryOwner: headCall && ownerView(headCall),
    reviews: ({ states, ...paging }: Paging & { readonly states?: readonly string[] | null }) =>
      list(
        'reviews',
        reviews.filter(({ state }) => states?.includes(state) ?? true),
        paging,
        show,
      ),
    latestReviews: paged('latestReviews', () => countingReviews(pull), show),
    reviewRequests: paged(
      'reviewRequests',
      () => requestedReviewers(pull),
      (one) => requestView(call, one),
    ),
    closingIssuesReferences: none('closingIssuesReferences'),
  }
}

/** A pull request or an issue that GitHub shows by now. */
function findView(call: Call, number: number, kinds: readonly ('Issue' | 'PullRequest')[]): object {
  const { repository, nowMs, state } = call
  const { [number]: pull } = repository.pulls
  const { [number]: issue } = repository.issues
  if (issue !== undefined && kinds.includes('Issue')) return issueView(call, number, issue)
  if (pull !== undefined && kinds.includes('PullRequest') && nowMs >= pull.createdAtMs + state.lag.newPullMs)
    return pullView(call, number, pull)
  const kind = kinds.length > 1 ? 'an issue or pull request' : kinds[0] === 'Issue' ? 'an Issue' : 'a PullRequest'
  throw refuse('NOT_FOUND', `Could not resolve to ${kind} with the number of ${number}.`)
}

interface Ordered {
  readonly orderBy?: { readonly field: string; readonly direction: 'ASC' | 'DESC' } | null
}

interface PullFilter extends Paging, Ordered {
  readonly states?: readonly string[] | null
  readonly baseRefName?: string | null
  readonly headRefName?: string | null
  readonly labels?: readonly string[] | null
}

/** The oldest first, unless asked otherwise. */
function sortByOrder<T extends IssueState>(
  issues: Readonly<Record<number, T>>,
  { orderBy }: Ordered,
): (readonly [number: number, issue: T])[] {
  const key = ({ createdAtMs, updatedAtMs, comments }: T): number =>
    ({ UPDATED_AT: updatedAtMs, COMMENTS: comments.length })[orderBy?.field ?? ''] ?? createdAtMs
  const sign = orderBy?.direction === 'DESC' ? -1 : 1
  return Object.entries(issues)
    .map(([number, issue]) => [Number(number), issue] as const)
    .sort(([a, one], [b, other]) => sign * (key(one) - key(other) || a - b))
}

interface IssueFilters {
  readonly assignee?: string | null
  readonly createdBy?: string | null
  readonly labels?: readonly string[] | null
  readonly mentioned?: string | null
  readonly since?: string | null
  readonly states?: readonly string[] | null
}

interface IssueFilter extends Paging, Ordered {
  readonly states?: readonly string[] | null
  readonly labels?: readonly string[] | null
  readonly filterBy?: IssueFilters | null
}

/** Whether an issue has one of the labels. */
const hasAny = (issue: IssueState, labels: readonly string[] | null | undefined): boolean =>
  labels?.some((label) => spelledIn(issue.labels, label) !== undefined) ?? true

function listIssues(call: Call, filter: IssueFilter): object {
  requireAccess(call, 'issues/list-for-repo')
  const { assignee, createdBy, labels, mentioned, since, states } = filter.filterBy ?? {}
  const wanted = filter.states ?? states
  const found = sortByOrder(call.repository.issues, filter).filter(
    ([, issue]) =>
      (wanted?.includes(issue.state.toUpperCase()) ?? true) &&
      hasAny(issue, filter.labels) &&
      hasAny(issue, labels) &&
      (typeof assignee !== 'string' || isAssignedTo(issue, assignee)) &&
      (typeof mentioned !== 'string' || isMentioned(issue, mentioned)) &&
      spelledIn([issue.user], createdBy ?? issue.user) !== undefined &&
      issue.updatedAtMs >= (typeof since === 'string' ? Date.parse(since) : -Infinity),
  )
  return list('issues', found, filter, ([number, issue]) => issueView(call, number, issue))
}

function listPulls(call: Call, filter: PullFilter): object {
  requireAccess(call, 'pulls/list')
  const { states, baseRefName, headRefName, labels } = filter
  const getState = ({ merge, state }: PullState): string => (merge === undefined ? state.toUpperCase() : 'MERGED')
  const found = sortByOrder(call.repository.pulls, filter).filter(
    ([, pull]) =>
      call.nowMs >= pull.createdAtMs + call.state.lag.newPullMs &&
      (states?.includes(getState(pull)) ?? true) &&
      pull.base === (baseRefName ?? pull.base) &&
      pull.branch === (headRefName ?? pull.branch) &&
      hasAny(pull, labels),
  )
  return list('pullRequests', found, filter, ([number, pull]) => pullView(call, number, pull))
}

interface LabelFilter extends Paging, Ordered {
  readonly query?: string | null
}

/** Those that have the text of the query in their names or descriptions. */
function listLabels(call: Call, { orderBy, query, ...paging }: LabelFilter): object {
  requireAccess(call, 'issues/list-labels-for-repo')
  const { labels, labelDetails } = call.repository
  const found = labels.filter((name) =>
    [name, labelDetails[name]?.description ?? ''].some((one) =>
      one.toLowerCase().includes((query ?? '').toLowerCase()),
    ),
  )
  const names = orderBy?.field === 'NAME' ? found.toSorted() : found
  const ordered = orderBy?.direction === 'DESC' ? names.toReversed() : names
  return list('labels', ordered, paging, (name) => labelView(call, name))
}

/** What the token may do, in the words of a role. */
function viewerPermission({ state: { permissions } }: Call): string {
  return permissions.contents === 'write' ? 'WRITE' : 'READ'
}

export function repositoryView(call: Call): object {
  const { repository, name, baseUrl } = call
  const { id, defaultBranch, mergeMethods } = repository
  return {
    __typename: 'Repository',
    id: nodeId('R', id, ''),
    databaseId: id,
    name: name.split('/')[1],
    nameWithOwner: name,
    owner: ownerView(call),
    url: `${baseUrl}/${name}`,
    description: null,
    isPrivate: false,
    isFork: false,
    isArchived: false,
    parent: null,
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    viewerPermission: viewerPermission(call),
    mergeCommitAllowed: mergeMethods.includes('merge'),
    squashMergeAllowed: mergeMethods.includes('squash'),
    rebaseMergeAllowed: mergeMethods.includes('rebase'),
    autoMergeAllowed: repository.isAutoMergeAllowed,
    deleteBranchOnMerge: repository.deletesBranchOnMerge,
    defaultBranchRef: () => refView(call, defaultBranch),
    ref: ({ qualifiedName }: { readonly qualifiedName: string }) =>
      refView(call, qualifiedName.replace(/^refs\/heads\//, '')),
    pullRequest: ({ number }: { readonly number: number }) => findView(call, number, ['PullRequest']),
    pullRequests: (filter: PullFilter) => listPulls(call, filter),
    issue: ({ number }: { readonly number: number }) => findView(call, number, ['Issue']),
    issueOrPullRequest: ({ number }: { readonly number: number }) => findView(call, number, ['Issue', 'PullRequest']),
    issues: (filter: IssueFilter) => listIssues(call, filter),
    labels: (given: LabelFilter) => listLabels(call, given),
    label: ({ name: label }: { readonly name: string }) =>
      repository.labels.includes(label) ? labelView(call, label) : null,
  }
}
