import { AGE, type CustomResourceDefinition, customResourceDefinition } from '../../crds/index.ts'
import { MCS_GROUP, MCS_VERSIONS, serviceExports, serviceImports } from '../resources.ts'
import { SERVICE_EXPORT } from './service-export.ts'
import { SERVICE_IMPORT } from './service-import.ts'

const OF_BOTH = {
  versions: MCS_VERSIONS,
  hasStatus: true,
  // The release of the API whose schema this is: other implementations replace definitions that seem older
  // than theirs. Later ones add fields.
  labels: { [`${MCS_GROUP}/release-version`]: 'v0.5.2', [`${MCS_GROUP}/crd-schema-revision`]: '0' },
}

/** Returns the definitions of the Multi-Cluster Services API, ServiceExport and ServiceImport. */
export const customResourceDefinitions = (): CustomResourceDefinition[] => [
  customResourceDefinition({
    ...OF_BOTH,
    resource: serviceExports(MCS_VERSIONS[0]),
    shortNames: ['svcex', 'svcexport'],
    schema: SERVICE_EXPORT,
  }),
  customResourceDefinition({
    ...OF_BOTH,
    resource: serviceImports(MCS_VERSIONS[0]),
    shortNames: ['svcim', 'svcimport'],
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.spec.type' },
      { name: 'IP', type: 'string', jsonPath: '.spec.ips' },
      AGE,
    ],
    schema: SERVICE_IMPORT,
  }),
]
