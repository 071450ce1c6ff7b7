/** The prefixes of node ids, one for each kind of object. */
export type NodeKind = 'R' | 'PR' | 'I' | 'LA' | 'IC' | 'PRR' | 'PRRC' | 'SC' | 'REF' | 'CR' | 'W' | 'WFR' | 'C' | 'U'

export interface NodeKey {
  readonly kind: NodeKind
  readonly repositoryId: number
  /** Such as a pull request number or a label name. */
  readonly key: string
}

/** Creates the id that GraphQL and REST (as `node_id`) use. Clients must treat it as opaque. */
export function toNodeId(kind: NodeKind, repositoryId: number, key: number | string): string {
  return `${kind}_${Buffer.from(`${repositoryId}:${key}`).toString('base64url')}`
}

export function parseNodeId(id: string): NodeKey | undefined {
  const [, kind, encoded = ''] = /^([A-Z]+)_([\w-]+)$/.exec(id) ?? []
  const [, repositoryId, key = ''] = /^(\d+):(.*)$/s.exec(Buffer.from(encoded, 'base64url').toString()) ?? []
  if (kind === undefined || repositoryId === undefined) return undefined
  return { kind: kind as NodeKind, repositoryId: Number(repositoryId), key }
}
