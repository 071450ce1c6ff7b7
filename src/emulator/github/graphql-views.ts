import { toRollupView } from './graphql-check-views.ts'
import { type Paging, createConnection, createConnectionField } from './graphql-list.ts'
import { createError, requireAccess } from './graphql-errors.ts'
import { findCommit, createTestMerge } from './history.ts'
import { type Comment, type IssueState, type Reaction, isAssignedTo, isMentioned } from './issue-state.ts'
import { listEffectiveReviews, getMergeState, getReviewDecision } from './mergeability.ts'
import { toNodeId } from './node-id.ts'
import { getAssociation, getVisibleHead, isMergeable, findHeadCall, getVisibleChange } from './pull-body.ts'
import { type MergeMethod, type PullState, type Review, listRequestedReviewers } from './pull-state.ts'
import { type Call, findIgnoringCase, formatTime } from './reply.ts'
import { describeMerge } from './repository-changes.ts'
import type { Commit, RepositoryState } from './repository-state.ts'
import { toFileBody, toLabelBody, toUserBody } from './resource-body.ts'

/** Logins of bots have no `[bot]` suffix in GraphQL, except for `viewer`. */
export function toActorView({ state, baseUrl }: Pick<Call, 'state' | 'baseUrl'>, login: string): object {
  const { id, type } = toUserBody(state, login)
  return {
    __typename: type,
    id: toNodeId('U', 0, login),
    databaseId: id,
    login: login.replace(/\[bot\]$/, ''),
    name: null,
    url: `${baseUrl}/${login}`,
  }
}

function toOwnerView({ name, baseUrl }: Call): object {
  const login = name.split('/')[0] ?? ''
  return { __typename: 'Organization', id: toNodeId('U', 0, login), login, name: login, url: `${baseUrl}/${login}` }
}

export function toLabelView(call: Call, name: string): object {
  const { repository, baseUrl } = call
  return {
    __typename: 'Label',
    ...toLabelBody(call, name),
    isDefault: call.repository.labelDetails[name]?.isDefault ?? false,
    id: toNodeId('LA', repository.id, name),
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

function toReactionGroups(reactions: readonly Reaction[] = []): readonly object[] {
  return Object.entries(REACTIONS).map(([name, content]) => ({
    content,
    users: { totalCount: reactions.filter((reaction) => reaction.content === name).length },
  }))
}

/** @param number of the comment's issue or pull request */
export function toCommentView(call: Call, number: number, comment: Comment): object {
  const { id, user, body, createdAtMs, updatedAtMs = createdAtMs, association, reactions } = comment
  const kind = number in call.repository.pulls ? 'pull' : 'issues'
  return {
    __typename: 'IssueComment',
    id: toNodeId('IC', call.repository.id, id),
    databaseId: id,
    author: toActorView(call, user),
    authorAssociation: association ?? getAssociation(call, user),
    body,
    createdAt: formatTime(createdAtMs),
    updatedAt: formatTime(updatedAtMs),
    url: `${call.baseUrl}/${call.name}/${kind}/${number}#issuecomment-${id}`,
    isMinimized: false,
    minimizedReason: null,
    includesCreatedEdit: updatedAtMs !== createdAtMs,
    reactionGroups: toReactionGroups(reactions),
    viewerDidAuthor: user === call.state.identity,
  }
}

const createEmptyConnection = (name: string) =>
  createConnectionField(
    name,
    () => [],
    () => ({}),
  )

/** Returns the fields that issues and pull requests share. */
function toConversationFields(call: Call, number: number, issue: IssueState): object {
  const { title, body, user, locked, labels, assignees, comments, createdAtMs, updatedAtMs, closedAtMs } = issue
  return {
    databaseId: 1_000_000 + number,
    number,
    title,
    body,
    author: toActorView(call, user),
    authorAssociation: getAssociation(call, user),
    createdAt: formatTime(createdAtMs),
    updatedAt: formatTime(updatedAtMs),
    closed: issue.state === 'closed',
    closedAt: issue.state === 'closed' ? formatTime(closedAtMs ?? updatedAtMs) : null,
    locked,
    labels: createConnectionField(
      'labels',
      () => labels,
      (name) => toLabelView(call, name),
    ),
    assignees: createConnectionField(
      'assignees',
      () => assignees,
      (login) => toActorView(call, login),
    ),
    comments: createConnectionField(
      'comments',
      () => comments,
      (comment) => toCommentView(call, number, comment),
    ),
    milestone: null,
    projectCards: createEmptyConnection('projectCards'),
    projectItems: createEmptyConnection('projectItems'),
    reactionGroups: toReactionGroups(),
    repository: () => toRepositoryView(call),
  }
}

export function toIssueView(call: Call, number: number, issue: IssueState): object {
  requireAccess({ ...call, params: { issue_number: String(number) } }, 'issues/get')
  const { stateReason } = issue
  return {
    __typename: 'Issue',
    ...toConversationFields(call, number, issue),
    id: toNodeId('I', call.repository.id, number),
    url: `${call.baseUrl}/${call.name}/issues/${number}`,
    state: issue.state.toUpperCase(),
    stateReason: stateReason?.toUpperCase() ?? (issue.state === 'closed' ? 'COMPLETED' : null),
    isPinned: false,
  }
}

function toGitActorView(call: Call, login: string): object {
  const user = call.state.users[login]?.type === 'User' ? toActorView(call, login) : null
  return { name: login, email: `${login}@users.noreply.example`, user }
}

function toCommitView(call: Call, { sha, message, author, atMs }: Commit): object {
  const [messageHeadline = '', ...rest] = message.split('\n')
  return {
    __typename: 'Commit',
    id: toNodeId('C', call.repository.id, sha),
    oid: sha,
    url: `${call.baseUrl}/${call.name}/commit/${sha}`,
    message,
    messageHeadline,
    messageBody: rest.join('\n').trim(),
    committedDate: formatTime(atMs),
    authoredDate: formatTime(atMs),
    author: toGitActorView(call, author),
    authors: createConnectionField(
      'authors',
      () => [author],
      (login) => toGitActorView(call, login),
    ),
    statusCheckRollup: () => toRollupView(call, sha),
  }
}

function findCommitView(call: Call, sha: string | undefined): object | null {
  const commit = sha === undefined ? undefined : findCommit(call.repository, sha)
  return commit === undefined ? null : toCommitView(call, commit)
}

export function toReviewView(call: Call, number: number, review: Review): object {
  const { id, user, body, state, headSha, submittedAtMs } = review
  return {
    id: toNodeId('PRR', call.repository.id, id),
    databaseId: id,
    author: toActorView(call, user),
    authorAssociation: getAssociation(call, user),
    body,
    state,
    submittedAt: submittedAtMs === undefined ? null : formatTime(submittedAtMs),
    commit: () => findCommitView(call, headSha),
    url: `${call.baseUrl}/${call.name}/pull/${number}#pullrequestreview-${id}`,
    reactionGroups: toReactionGroups(),
  }
}

function toRequestView(call: Call, name: string): object {
  const slug = name.split('/')[1]
  const team = { __typename: 'Team', id: toNodeId('U', 0, name), name: slug, slug, organization: toOwnerView(call) }
  return { id: `RR_${name}`, requestedReviewer: slug === undefined ? toActorView(call, name) : team }
}

function toProtectionView(repository: RepositoryState, branch: string): object | null {
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

function toRefView(call: Call, branch: string): object | null {
  const { repository } = call
  const sha = repository.branches[branch]
  if (sha === undefined) return null
  return {
    id: `REF_${branch}`,
    name: branch,
    prefix: 'refs/heads/',
    target: () => findCommitView(call, sha),
    branchProtectionRule: toProtectionView(repository, branch),
  }
}

function toAutoMergeView(call: Call, { autoMerge }: PullState): object | null {
  if (autoMerge === undefined) return null
  const { enabledBy, enabledAtMs, method, title = null, message = null } = autoMerge
  return {
    authorEmail: null,
    commitHeadline: title,
    commitBody: message,
    mergeMethod: method.toUpperCase(),
    enabledAt: formatTime(enabledAtMs),
    enabledBy: toActorView(call, enabledBy),
  }
}

function toMergeFields(call: Call, number: number, pull: PullState): object {
  const { repository, name, nowMs } = call
  const isMergeabilityKnown = (): boolean => isMergeable(call, pull) !== null
  const createTextField =
    (part: 'title' | 'message') =>
    ({ mergeType = 'MERGE' }: { readonly mergeType?: string }): string =>
      describeMerge(repository, name, number, { method: mergeType.toLowerCase() as MergeMethod })[part]
  const { merge } = pull
  const merger = merge?.by ?? findCommit(repository, merge?.sha ?? '')?.author
  return {
    mergeable: () => (isMergeabilityKnown() ? (pull.conflict ? 'CONFLICTING' : 'MERGEABLE') : 'UNKNOWN'),
    mergeStateStatus: () => (isMergeabilityKnown() ? getMergeState(repository, pull, nowMs).toUpperCase() : 'UNKNOWN'),
    merged: merge !== undefined,
    mergedAt: merge === undefined ? null : formatTime(merge.atMs),
    mergedBy: merger === undefined ? null : toActorView(call, merger),
    mergeCommit: () => findCommitView(call, merge?.sha),
    potentialMergeCommit: () => findCommitView(call, createTestMerge(repository, pull)?.sha),
    autoMergeRequest: toAutoMergeView(call, pull),
    reviewDecision: () => getReviewDecision(repository, pull) ?? null,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    viewerMergeHeadlineText: createTextField('title'),
    viewerMergeBodyText: createTextField('message'),
  }
}

function toChangeFields(call: Call, number: number, pull: PullState): object {
  const getChange = (): ReturnType<typeof getVisibleChange> => getVisibleChange(call, pull)
  const sum = (field: 'additions' | 'deletions') => (): number =>
    getChange()
      .files.map(toFileBody)
      .reduce((total, file) => total + file[field], 0)
  return {
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: () => getChange().files.length,
    commits: createConnectionField(
      'commits',
      () => getChange().ahead,
      (commit) => ({
        id: toNodeId('C', call.repository.id, `${number}/${commit.sha}`),
        commit: toCommitView(call, commit),
        url: `${call.baseUrl}/${call.name}/pull/${number}/commits/${commit.sha}`,
      }),
    ),
    files: createConnectionField(
      'files',
      () => getChange().files.map(toFileBody),
      ({ filename: path, additions, deletions, status = 'modified' }) => {
        const changeType = status === 'removed' ? 'DELETED' : status.toUpperCase()
        return { path, additions, deletions, changeType }
      },
    ),
    statusCheckRollup: () => toRollupView(call, getVisibleHead(call, pull)),
  }
}

export function toPullView(call: Call, number: number, pull: PullState): object {
  requireAccess(call, 'pulls/get')
  const { repository, baseUrl, name } = call
  const { draft, branch, base, fork, merge, reviews } = pull
  const headCall = findHeadCall(call, pull)
  const show = (review: Review): object => toReviewView(call, number, review)
  return {
    __typename: 'PullRequest',
    ...toConversationFields(call, number, pull),
    ...toMergeFields(call, number, pull),
    ...toChangeFields(call, number, pull),
    id: toNodeId('PR', repository.id, number),
    fullDatabaseId: String(1_000_000 + number),
    url: `${baseUrl}/${name}/pull/${number}`,
    state: merge === undefined ? pull.state.toUpperCase() : 'MERGED',
    isDraft: draft,
    isCrossRepository: fork !== undefined,
    maintainerCanModify: false,
    baseRef: () => toRefView(call, base),
    baseRefName: base,
    baseRefOid: pull.closedBaseSha ?? repository.branches[base] ?? '',
    headRef: () => headCall && toRefView(headCall, branch),
    headRefName: branch,
    headRefOid: getVisibleHead(call, pull),
    headRepository: () => headCall && toRepositoryView(headCall),
    headRepositoryOwner: headCall && toOwnerView(headCall),
    reviews: ({ states, ...paging }: Paging & { readonly states?: readonly string[] | null }) =>
      createConnection(
        'reviews',
        reviews.filter(({ state }) => states?.includes(state) ?? true),
        paging,
        show,
      ),
    latestReviews: createConnectionField('latestReviews', () => listEffectiveReviews(pull), show),
    reviewRequests: createConnectionField(
      'reviewRequests',
      () => listRequestedReviewers(pull),
      (reviewer) => toRequestView(call, reviewer),
    ),
    closingIssuesReferences: createEmptyConnection('closingIssuesReferences'),
  }
}

/** Finds an issue or a pull request that is already visible. */
function findView(call: Call, number: number, kinds: readonly ('Issue' | 'PullRequest')[]): object {
  const { repository, nowMs, state } = call
  const { [number]: pull } = repository.pulls
  const { [number]: issue } = repository.issues
  if (issue !== undefined && kinds.includes('Issue')) return toIssueView(call, number, issue)
  if (pull !== undefined && kinds.includes('PullRequest') && nowMs >= pull.createdAtMs + state.lag.newPullMs)
    return toPullView(call, number, pull)
  const kind = kinds.length > 1 ? 'an issue or pull request' : kinds[0] === 'Issue' ? 'an Issue' : 'a PullRequest'
  throw createError('NOT_FOUND', `Could not resolve to ${kind} with the number of ${number}.`)
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

/** Default: oldest first. */
function sortByOrder<T extends IssueState>(
  issues: Readonly<Record<number, T>>,
  { orderBy }: Ordered,
): (readonly [number: number, issue: T])[] {
  const key = ({ createdAtMs, updatedAtMs, comments }: T): number =>
    ({ UPDATED_AT: updatedAtMs, COMMENTS: comments.length })[orderBy?.field ?? ''] ?? createdAtMs
  const sign = orderBy?.direction === 'DESC' ? -1 : 1
  return Object.entries(issues)
    .map(([number, issue]) => [Number(number), issue] as const)
    .sort(([a, first], [b, second]) => sign * (key(first) - key(second) || a - b))
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

/** Whether an issue has one of the labels. Without a filter every issue matches. */
const hasAnyLabel = (issue: IssueState, labels: readonly string[] | null | undefined): boolean =>
  labels?.some((label) => findIgnoringCase(issue.labels, label) !== undefined) ?? true

function listIssues(call: Call, filter: IssueFilter): object {
  requireAccess(call, 'issues/list-for-repo')
  const { assignee, createdBy, labels, mentioned, since, states } = filter.filterBy ?? {}
  const stateFilter = filter.states ?? states
  const found = sortByOrder(call.repository.issues, filter).filter(
    ([, issue]) =>
      (stateFilter?.includes(issue.state.toUpperCase()) ?? true) &&
      hasAnyLabel(issue, filter.labels) &&
      hasAnyLabel(issue, labels) &&
      (typeof assignee !== 'string' || isAssignedTo(issue, assignee)) &&
      (typeof mentioned !== 'string' || isMentioned(issue, mentioned)) &&
      findIgnoringCase([issue.user], createdBy ?? issue.user) !== undefined &&
      issue.updatedAtMs >= (typeof since === 'string' ? Date.parse(since) : -Infinity),
  )
  return createConnection('issues', found, filter, ([number, issue]) => toIssueView(call, number, issue))
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
      hasAnyLabel(pull, labels),
  )
  return createConnection('pullRequests', found, filter, ([number, pull]) => toPullView(call, number, pull))
}

interface LabelFilter extends Paging, Ordered {
  readonly query?: string | null
}

/** `query` matches names and descriptions. */
function listLabels(call: Call, { orderBy, query, ...paging }: LabelFilter): object {
  requireAccess(call, 'issues/list-labels-for-repo')
  const { labels, labelDetails } = call.repository
  const found = labels.filter((name) =>
    [name, labelDetails[name]?.description ?? ''].some((text) =>
      text.toLowerCase().includes((query ?? '').toLowerCase()),
    ),
  )
  const names = orderBy?.field === 'NAME' ? found.toSorted() : found
  const ordered = orderBy?.direction === 'DESC' ? names.toReversed() : names
  return createConnection('labels', ordered, paging, (name) => toLabelView(call, name))
}

/** Converts the permissions of the token to a role. */
function getViewerPermission({ state: { permissions } }: Call): string {
  return permissions.contents === 'write' ? 'WRITE' : 'READ'
}

export function toRepositoryView(call: Call): object {
  const { repository, name, baseUrl } = call
  const { id, defaultBranch, mergeMethods } = repository
  return {
    __typename: 'Repository',
    id: toNodeId('R', id, ''),
    databaseId: id,
    name: name.split('/')[1],
    nameWithOwner: name,
    owner: toOwnerView(call),
    url: `${baseUrl}/${name}`,
    description: null,
    isPrivate: false,
    isFork: false,
    isArchived: false,
    parent: null,
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    viewerPermission: getViewerPermission(call),
    mergeCommitAllowed: mergeMethods.includes('merge'),
    squashMergeAllowed: mergeMethods.includes('squash'),
    rebaseMergeAllowed: mergeMethods.includes('rebase'),
    autoMergeAllowed: repository.isAutoMergeAllowed,
    deleteBranchOnMerge: repository.deletesBranchOnMerge,
    defaultBranchRef: () => toRefView(call, defaultBranch),
    ref: ({ qualifiedName }: { readonly qualifiedName: string }) =>
      toRefView(call, qualifiedName.replace(/^refs\/heads\//, '')),
    pullRequest: ({ number }: { readonly number: number }) => findView(call, number, ['PullRequest']),
    pullRequests: (filter: PullFilter) => listPulls(call, filter),
    issue: ({ number }: { readonly number: number }) => findView(call, number, ['Issue']),
    issueOrPullRequest: ({ number }: { readonly number: number }) => findView(call, number, ['Issue', 'PullRequest']),
    issues: (filter: IssueFilter) => listIssues(call, filter),
    labels: (given: LabelFilter) => listLabels(call, given),
    label: ({ name: label }: { readonly name: string }) =>
      repository.labels.includes(label) ? toLabelView(call, label) : null,
  }
}
