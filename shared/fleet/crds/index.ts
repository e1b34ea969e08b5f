import { AGE, type CustomResourceDefinition, type PrinterColumn, type Schema } from '../../crds/index.ts'
import { MCS_GROUP, MCS_VERSIONS, type McsVersion, serviceExports, serviceImports } from '../resources.ts'
import { SERVICE_EXPORT } from './service-export.ts'
import { SERVICE_IMPORT } from './service-import.ts'

/** The release of the API whose schema this is; later ones add fields. */
const MCS_API_RELEASE = 'v0.5.2'
const STORED: McsVersion = 'v1beta1'

interface Definition {
  readonly resource: (version: McsVersion) => { readonly plural: string; readonly kind: string }
  readonly shortNames: readonly string[]
  readonly columns: readonly PrinterColumn[]
  readonly schema: Schema
}

const DEFINITIONS: readonly Definition[] = [
  { resource: serviceExports, shortNames: ['svcex', 'svcexport'], columns: [AGE], schema: SERVICE_EXPORT },
  {
    resource: serviceImports,
    shortNames: ['svcim', 'svcimport'],
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.spec.type' },
      { name: 'IP', type: 'string', jsonPath: '.spec.ips' },
      AGE,
    ],
    schema: SERVICE_IMPORT,
  },
]

/**
 * Returns the definitions of ServiceExport and ServiceImport: what a cluster needs to have of the Multi-
 * Cluster Services API.
 */
export const customResourceDefinitions = (): CustomResourceDefinition[] => DEFINITIONS.map(definitionOf)

function definitionOf({ resource, shortNames, columns, schema }: Definition): CustomResourceDefinition {
  const { plural, kind } = resource(STORED)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${MCS_GROUP}`,
      // Other implementations replace definitions that seem older than theirs.
      labels: {
        [`${MCS_GROUP}/release-version`]: MCS_API_RELEASE,
        [`${MCS_GROUP}/crd-schema-revision`]: '0',
      },
    },
    spec: {
      group: MCS_GROUP,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, shortNames },
      versions: MCS_VERSIONS.map((name) => ({
        name,
        served: true,
        storage: name === STORED,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: { openAPIV3Schema: schema },
      })),
    },
  }
}
