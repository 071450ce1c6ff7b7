/** The kinds of things that have a node id here, by the beginning of that id. */
export type NodeKind = 'R' | 'PR' | 'I' | 'LA' | 'IC' | 'PRR' | 'PRRC' | 'SC' | 'REF' | 'CR' | 'W' | 'WFR' | 'C' | 'U'

export interface NodeKey {
  readonly kind: NodeKind
  readonly repositoryId: number
  /** Such as the number of a pull request, or the name of a label. */
  readonly key: string
}

/** The id that GraphQL, and `node_id` in REST, have for a thing. To clients it is opaque. */
export function nodeId(kind: NodeKind, repositoryId: number, key: number | string): string {
  return `${kind}_${Buffer.from(`${repositoryId}:${key}`).toString('base64url')}`
}

export function readNodeId(id: string): NodeKey | undefined {
  const [, kind, encoded = ''] = /^([A-Z]+)_([\w-]+)$/.exec(id) ?? []
  const [, repositoryId, key = ''] = /^(\d+):(.*)$/s.exec(Buffer.from(encoded, 'base64url').toString()) ?? []
  if (kind === undefined || repositoryId === undefined) return undefined
  return { kind: kind as NodeKind, repositoryId: Number(repositoryId), key }
}
