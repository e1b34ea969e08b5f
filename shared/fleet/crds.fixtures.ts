import type { ApiObject, Resource } from '../kubernetes/index.ts'
import { customResourceDefinitions, MCS_VERSIONS, type McsVersion } from './index.ts'

export const CUSTOM_RESOURCE_DEFINITIONS: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** Returns the definition of a kind that is served in these versions only; the first one is stored. */
export function definitionIn(
  kind: 'ServiceExport' | 'ServiceImport',
  served: readonly McsVersion[] = MCS_VERSIONS,
): ApiObject {
  const definition = customResourceDefinitions().find(({ spec }) => spec.names.kind === kind)
  if (definition === undefined) throw new Error(`there is no definition of ${kind}`)
  const versions = definition.spec.versions
    .filter(({ name }) => served.some((version) => version === name))
    .map((version) => ({ ...version, storage: version.name === served[0] }))
  const narrowed = { ...definition, spec: { ...definition.spec, versions } }
  return narrowed
}
