// Writes the list of packages of a release in SPDX 2.3: https://spdx.github.io/spdx-spec/v2.3/
import { createHash } from 'node:crypto'
import type { ThirdPartyPackage } from './third-party-packages.ts'

const ACTION_ID = 'SPDXRef-Action'

/** Lists packages once each. The version and the time are those of no release: release.yml replaces them. */
export function formatSbom(packages: readonly ThirdPartyPackage[]): string {
  const unique = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]))
  const listed = [...unique].sort(([a], [b]) => (a < b ? -1 : 1))
  const hash = createHash('sha256').update(listed.map(([title]) => title).join('\n'))
  const described = listed.map(([title, { name, version, license }]) => ({
    SPDXID: `SPDXRef-${title.replace(/[^a-z\d.]+/gi, '-').replace(/^-/, '')}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license,
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${title.replace(/^@/, '%40')}`,
      },
    ],
  }))
  const action = {
    SPDXID: ACTION_ID,
    name: 'docs-agent-action',
    versionInfo: '0.0.0',
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: 'MIT',
  }
  const sbom = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: action.name,
    documentNamespace: `https://spdx.org/spdxdocs/${action.name}-${hash.digest('hex')}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: scripts/build/sbom.ts'] },
    packages: [action, ...described],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: ACTION_ID },
      ...described.map(({ SPDXID }) => ({
        spdxElementId: ACTION_ID,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: SPDXID,
      })),
    ],
  }
  return `${JSON.stringify(sbom, null, 2)}\n`
}
