import type { ApiObject, Resource } from '../kubernetes/index.ts'
import { MCS_GROUP, MCS_VERSIONS, type McsVersion } from './index.ts'

export const CUSTOM_RESOURCE_DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A kind of the group that takes whatever spec and status; the first version is the stored one. */
export const looseDefinition = (
  kind: 'ServiceExport' | 'ServiceImport',
  versions: readonly McsVersion[] = MCS_VERSIONS,
): ApiObject => {
  const plural = `${kind.toLowerCase()}s`
  const spec = {
    group: MCS_GROUP,
    scope: 'Namespaced',
    names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
    versions: versions.map((name, at) => ({
      name,
      served: true,
      storage: at === 0,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
    })),
  }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${MCS_GROUP}` },
    spec,
  }
  return definition
}
