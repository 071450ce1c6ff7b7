/** The prefixes of node ids, one for each kind of object. */
type NodeKind = 'R' | 'RE' | 'PR' | 'I' | 'LA' | 'IC' | 'PRR' | 'PRRC' | 'SC' | 'CR' | 'WFR' | 'C' | 'U' | 'LE'

/** Creates a `node_id`. Clients must treat it as opaque. */
export function toNodeId(kind: NodeKind, repositoryId: number, key: number | string): string {
  return `${kind}_${Buffer.from(`${repositoryId}:${key}`).toString('base64url')}`
}
