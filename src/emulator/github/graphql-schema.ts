/** The arguments of every connection. */
const PAGED = 'first: Int, last: Int, after: String, before: String'

/** The types whose connections have no additional fields. */
const LISTED = [
  'Label',
  'User',
  'IssueComment',
  'PullRequest',
  'Issue',
  'PullRequestCommit',
  'GitActor',
  'PullRequestChangedFile',
  'PullRequestReview',
  'ReviewRequest',
  'ProjectCard',
  'ProjectV2Item',
]
const defineEdge = (type: string): string => `type ${type}Edge { cursor: String!, node: ${type} }`
const defineConnection = (type: string): string =>
  `type ${type}Connection { nodes: [${type}], edges: [${type}Edge], totalCount: Int!, pageInfo: PageInfo! }`

/**
 * The supported part of GitHub's published GraphQL schema. Clients such as `gh` detect supported features by introspection.
 */
export const SCHEMA = `
scalar URI
scalar DateTime
scalar GitObjectID
scalar BigInt

type Query {
  viewer: User!
  repository(owner: String!, name: String!): Repository
  node(id: ID!): Node
  search(${PAGED}, query: String!, type: SearchType!): SearchResultItemConnection!
}

interface Node { id: ID! }

interface Actor { login: String!, url: URI! }

interface RepositoryOwner { id: ID!, login: String!, url: URI! }

type User implements Actor & Node & RepositoryOwner {
  id: ID!
  databaseId: Int
  login: String!
  name: String
  url: URI!
}

type Bot implements Actor & Node {
  id: ID!
  databaseId: Int
  login: String!
  url: URI!
}

type Organization implements Actor & Node & RepositoryOwner {
  id: ID!
  databaseId: Int
  login: String!
  name: String
  url: URI!
}

type Team implements Node {
  id: ID!
  name: String!
  slug: String!
  organization: Organization!
}

type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

type Repository implements Node {
  id: ID!
  databaseId: Int
  name: String!
  nameWithOwner: String!
  owner: RepositoryOwner!
  url: URI!
  description: String
  isPrivate: Boolean!
  isFork: Boolean!
  isArchived: Boolean!
  parent: Repository
  hasIssuesEnabled: Boolean!
  hasWikiEnabled: Boolean!
  viewerPermission: RepositoryPermission
  mergeCommitAllowed: Boolean!
  squashMergeAllowed: Boolean!
  rebaseMergeAllowed: Boolean!
  autoMergeAllowed: Boolean!
  deleteBranchOnMerge: Boolean!
  defaultBranchRef: Ref
  ref(qualifiedName: String!): Ref
  pullRequest(number: Int!): PullRequest
  pullRequests(${PAGED}, states: [PullRequestState!], baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder): PullRequestConnection!
  issue(number: Int!): Issue
  issues(${PAGED}, states: [IssueState!], labels: [String!], orderBy: IssueOrder, filterBy: IssueFilters): IssueConnection!
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  labels(${PAGED}, orderBy: LabelOrder, query: String): LabelConnection
  label(name: String!): Label
}

enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }

type Ref implements Node {
  id: ID!
  name: String!
  prefix: String!
  target: GitObject
  branchProtectionRule: BranchProtectionRule
}

interface GitObject { id: ID!, oid: GitObjectID! }

type BranchProtectionRule implements Node {
  id: ID!
  pattern: String!
  requiresStatusChecks: Boolean!
  requiresStrictStatusChecks: Boolean!
  requiredStatusCheckContexts: [String]
  requiresApprovingReviews: Boolean!
  requiredApprovingReviewCount: Int
}

type Label implements Node {
  id: ID!
  name: String!
  description: String
  color: String!
  isDefault: Boolean!
  url: URI!
}

input LabelOrder { field: LabelOrderField!, direction: OrderDirection! }

enum LabelOrderField { CREATED_AT NAME }

enum OrderDirection { ASC DESC }

type Milestone implements Node {
  id: ID!
  number: Int!
  title: String!
  description: String
  dueOn: DateTime
}

type ReactionGroup {
  content: ReactionContent!
  users(${PAGED}): ReactingUserConnection!
}

type ReactingUserConnection {
  totalCount: Int!
}

enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }

enum CommentAuthorAssociation {
  COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER
}

type IssueComment implements Node {
  id: ID!
  databaseId: Int
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  createdAt: DateTime!
  updatedAt: DateTime!
  url: URI!
  isMinimized: Boolean!
  minimizedReason: String
  includesCreatedEdit: Boolean!
  reactionGroups: [ReactionGroup!]
  viewerDidAuthor: Boolean!
}

type Issue implements Node {
  id: ID!
  databaseId: Int
  number: Int!
  title: String!
  body: String!
  url: URI!
  state: IssueState!
  stateReason: IssueStateReason
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  createdAt: DateTime!
  updatedAt: DateTime!
  closed: Boolean!
  closedAt: DateTime
  locked: Boolean!
  isPinned: Boolean
  labels(${PAGED}): LabelConnection
  assignees(${PAGED}): UserConnection!
  comments(${PAGED}): IssueCommentConnection!
  milestone: Milestone
  reactionGroups: [ReactionGroup!]
  projectCards(${PAGED}): ProjectCardConnection!
  projectItems(${PAGED}): ProjectV2ItemConnection!
  repository: Repository!
}

input IssueFilters {
  assignee: String
  createdBy: String
  labels: [String!]
  mentioned: String
  since: DateTime
  states: [IssueState!]
}

enum IssueState { CLOSED OPEN }

enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }

union IssueOrPullRequest = Issue | PullRequest

type PullRequest implements Node {
  id: ID!
  databaseId: Int
  fullDatabaseId: BigInt
  number: Int!
  title: String!
  body: String!
  url: URI!
  state: PullRequestState!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  createdAt: DateTime!
  updatedAt: DateTime!
  closed: Boolean!
  closedAt: DateTime
  locked: Boolean!
  isDraft: Boolean!
  isCrossRepository: Boolean!
  maintainerCanModify: Boolean!
  mergeable: MergeableState!
  mergeStateStatus: MergeStateStatus!
  merged: Boolean!
  mergedAt: DateTime
  mergedBy: Actor
  mergeCommit: Commit
  potentialMergeCommit: Commit
  additions: Int!
  deletions: Int!
  changedFiles: Int!
  baseRef: Ref
  baseRefName: String!
  baseRefOid: GitObjectID!
  headRef: Ref
  headRefName: String!
  headRefOid: GitObjectID!
  headRepository: Repository
  headRepositoryOwner: RepositoryOwner
  repository: Repository!
  labels(${PAGED}): LabelConnection
  assignees(${PAGED}): UserConnection!
  comments(${PAGED}): IssueCommentConnection!
  commits(${PAGED}): PullRequestCommitConnection!
  files(${PAGED}): PullRequestChangedFileConnection
  reviews(${PAGED}, states: [PullRequestReviewState!]): PullRequestReviewConnection
  latestReviews(${PAGED}): PullRequestReviewConnection
  reviewRequests(${PAGED}): ReviewRequestConnection
  reviewDecision: PullRequestReviewDecision
  closingIssuesReferences(${PAGED}): IssueConnection
  milestone: Milestone
  projectCards(${PAGED}): ProjectCardConnection!
  projectItems(${PAGED}): ProjectV2ItemConnection!
  reactionGroups: [ReactionGroup!]
  autoMergeRequest: AutoMergeRequest
  statusCheckRollup: StatusCheckRollup
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  viewerMergeHeadlineText(mergeType: PullRequestMergeMethod): String!
  viewerMergeBodyText(mergeType: PullRequestMergeMethod): String!
}

enum PullRequestState { CLOSED MERGED OPEN }

input IssueOrder { field: IssueOrderField!, direction: OrderDirection! }

enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }

enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }

enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }

enum PullRequestMergeMethod { MERGE REBASE SQUASH }

enum PullRequestReviewDecision { APPROVED CHANGES_REQUESTED REVIEW_REQUIRED }

type AutoMergeRequest {
  authorEmail: String
  commitBody: String
  commitHeadline: String
  mergeMethod: PullRequestMergeMethod!
  enabledAt: DateTime
  enabledBy: Actor
}

type PullRequestCommit implements Node {
  id: ID!
  commit: Commit!
  url: URI!
}

type Commit implements GitObject & Node {
  id: ID!
  oid: GitObjectID!
  url: URI!
  message: String!
  messageHeadline: String!
  messageBody: String!
  committedDate: DateTime!
  authoredDate: DateTime!
  author: GitActor
  authors(${PAGED}): GitActorConnection!
  statusCheckRollup: StatusCheckRollup
}

type GitActor {
  name: String
  email: String
  user: User
}

type PullRequestChangedFile {
  path: String!
  additions: Int!
  deletions: Int!
  changeType: PatchStatus!
}

enum PatchStatus { ADDED CHANGED COPIED DELETED MODIFIED RENAMED }

type PullRequestReview implements Node {
  id: ID!
  databaseId: Int
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  state: PullRequestReviewState!
  submittedAt: DateTime
  commit: Commit
  url: URI!
  reactionGroups: [ReactionGroup!]
}

enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }

type ReviewRequest implements Node {
  id: ID!
  requestedReviewer: RequestedReviewer
}

union RequestedReviewer = Bot | Team | User

type StatusCheckRollup implements Node {
  id: ID!
  state: StatusState!
  contexts(${PAGED}): StatusCheckRollupContextConnection!
}

enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }

union StatusCheckRollupContext = CheckRun | StatusContext

type StatusCheckRollupContextConnection {
  nodes: [StatusCheckRollupContext]
  totalCount: Int!
  pageInfo: PageInfo!
  checkRunCount: Int!
  checkRunCountsByState: [CheckRunStateCount!]
  statusContextCount: Int!
  statusContextCountsByState: [StatusContextStateCount!]
}

type CheckRunStateCount {
  count: Int!
  state: CheckRunState!
}

enum CheckRunState {
  ACTION_REQUIRED CANCELLED COMPLETED FAILURE IN_PROGRESS NEUTRAL PENDING QUEUED SKIPPED STALE STARTUP_FAILURE
  SUCCESS TIMED_OUT WAITING
}

type StatusContextStateCount {
  count: Int!
  state: StatusState!
}

type CheckRun implements Node {
  id: ID!
  databaseId: Int
  name: String!
  status: CheckStatusState!
  conclusion: CheckConclusionState
  startedAt: DateTime
  completedAt: DateTime
  detailsUrl: URI
  url: URI!
  title: String
  summary: String
  checkSuite: CheckSuite!
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
}

enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }

enum CheckConclusionState {
  ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT
}

type CheckSuite implements Node {
  id: ID!
  app: App
  workflowRun: WorkflowRun
}

type App implements Node {
  id: ID!
  name: String!
  slug: String!
}

type WorkflowRun implements Node {
  id: ID!
  databaseId: Int
  event: String!
  url: URI!
  workflow: Workflow!
}

type Workflow implements Node {
  id: ID!
  name: String!
}

type StatusContext implements Node {
  id: ID!
  context: String!
  state: StatusState!
  description: String
  targetUrl: URI
  createdAt: DateTime!
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
}

type ProjectCard implements Node {
  id: ID!
  project: Project!
  column: ProjectColumn
}

type Project implements Node {
  id: ID!
  name: String!
}

type ProjectColumn implements Node {
  id: ID!
  name: String!
}

type ProjectV2Item implements Node {
  id: ID!
  project: ProjectV2!
  fieldValueByName(name: String!): ProjectV2ItemFieldValue
}

type ProjectV2 implements Node {
  id: ID!
  title: String!
}

union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue

type ProjectV2ItemFieldSingleSelectValue {
  optionId: String
  name: String
}

enum SearchType { DISCUSSION ISSUE REPOSITORY USER }

union SearchResultItem = App | Issue | Organization | PullRequest | Repository | User

type SearchResultItemConnection {
  issueCount: Int!
  nodes: [SearchResultItem]
  edges: [SearchResultItemEdge]
  pageInfo: PageInfo!
}

type SearchResultItemEdge { cursor: String!, node: SearchResultItem }

type Mutation {
  mergePullRequest(input: MergePullRequestInput!): MergePullRequestPayload
  enablePullRequestAutoMerge(input: EnablePullRequestAutoMergeInput!): EnablePullRequestAutoMergePayload
  disablePullRequestAutoMerge(input: DisablePullRequestAutoMergeInput!): DisablePullRequestAutoMergePayload
  updatePullRequest(input: UpdatePullRequestInput!): UpdatePullRequestPayload
  closePullRequest(input: ClosePullRequestInput!): ClosePullRequestPayload
  reopenPullRequest(input: ReopenPullRequestInput!): ReopenPullRequestPayload
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  updatePullRequestBranch(input: UpdatePullRequestBranchInput!): UpdatePullRequestBranchPayload
  addPullRequestReview(input: AddPullRequestReviewInput!): AddPullRequestReviewPayload
  addComment(input: AddCommentInput!): AddCommentPayload
  updateIssueComment(input: UpdateIssueCommentInput!): UpdateIssueCommentPayload
  addLabelsToLabelable(input: AddLabelsToLabelableInput!): AddLabelsToLabelablePayload
  removeLabelsFromLabelable(input: RemoveLabelsFromLabelableInput!): RemoveLabelsFromLabelablePayload
  createIssue(input: CreateIssueInput!): CreateIssuePayload
  updateIssue(input: UpdateIssueInput!): UpdateIssuePayload
  closeIssue(input: CloseIssueInput!): CloseIssuePayload
  reopenIssue(input: ReopenIssueInput!): ReopenIssuePayload
}

input MergePullRequestInput {
  clientMutationId: String
  pullRequestId: ID!
  commitHeadline: String
  commitBody: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
}

type MergePullRequestPayload { clientMutationId: String, pullRequest: PullRequest }

input EnablePullRequestAutoMergeInput {
  clientMutationId: String
  pullRequestId: ID!
  commitHeadline: String
  commitBody: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
}

type EnablePullRequestAutoMergePayload { clientMutationId: String, pullRequest: PullRequest }

input DisablePullRequestAutoMergeInput { clientMutationId: String, pullRequestId: ID! }

type DisablePullRequestAutoMergePayload { clientMutationId: String, pullRequest: PullRequest }

input UpdatePullRequestInput {
  clientMutationId: String
  pullRequestId: ID!
  title: String
  body: String
  baseRefName: String
  state: PullRequestUpdateState
}

type UpdatePullRequestPayload { clientMutationId: String, pullRequest: PullRequest }

enum PullRequestUpdateState { CLOSED OPEN }

input ClosePullRequestInput { clientMutationId: String, pullRequestId: ID! }

type ClosePullRequestPayload { clientMutationId: String, pullRequest: PullRequest }

input ReopenPullRequestInput { clientMutationId: String, pullRequestId: ID! }

type ReopenPullRequestPayload { clientMutationId: String, pullRequest: PullRequest }

input MarkPullRequestReadyForReviewInput { clientMutationId: String, pullRequestId: ID! }

type MarkPullRequestReadyForReviewPayload { clientMutationId: String, pullRequest: PullRequest }

input ConvertPullRequestToDraftInput { clientMutationId: String, pullRequestId: ID! }

type ConvertPullRequestToDraftPayload { clientMutationId: String, pullRequest: PullRequest }

input UpdatePullRequestBranchInput { clientMutationId: String, pullRequestId: ID!, expectedHeadOid: GitObjectID }

type UpdatePullRequestBranchPayload { clientMutationId: String, pullRequest: PullRequest }

input AddPullRequestReviewInput {
  clientMutationId: String
  pullRequestId: ID!
  body: String
  event: PullRequestReviewEvent
  commitOID: GitObjectID
}

type AddPullRequestReviewPayload { clientMutationId: String, pullRequestReview: PullRequestReview }

enum PullRequestReviewEvent { APPROVE COMMENT DISMISS REQUEST_CHANGES }

input AddCommentInput { clientMutationId: String, subjectId: ID!, body: String! }

type AddCommentPayload { clientMutationId: String, commentEdge: IssueCommentEdge }

input UpdateIssueCommentInput { clientMutationId: String, id: ID!, body: String! }

type UpdateIssueCommentPayload { clientMutationId: String, issueComment: IssueComment }

input AddLabelsToLabelableInput { clientMutationId: String, labelableId: ID!, labelIds: [ID!]! }

type AddLabelsToLabelablePayload { clientMutationId: String }

input RemoveLabelsFromLabelableInput { clientMutationId: String, labelableId: ID!, labelIds: [ID!]! }

type RemoveLabelsFromLabelablePayload { clientMutationId: String }

input CreateIssueInput {
  clientMutationId: String
  repositoryId: ID!
  title: String!
  body: String
  labelIds: [ID!]
  assigneeIds: [ID!]
  projectIds: [ID!]
  milestoneId: ID
}

type CreateIssuePayload { clientMutationId: String, issue: Issue }

input UpdateIssueInput { clientMutationId: String, id: ID!, title: String, body: String, state: IssueState }

type UpdateIssuePayload { clientMutationId: String, issue: Issue }

input CloseIssueInput { clientMutationId: String, issueId: ID!, stateReason: IssueClosedStateReason }

enum IssueClosedStateReason { COMPLETED DUPLICATE NOT_PLANNED }

type CloseIssuePayload { clientMutationId: String, issue: Issue }

input ReopenIssueInput { clientMutationId: String, issueId: ID! }

type ReopenIssuePayload { clientMutationId: String, issue: Issue }

${LISTED.map((type) => `${defineConnection(type)}\n${defineEdge(type)}`).join('\n')}
`
