import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, ApiError, type ApiObject, type Resource } from '../kubernetes/index.ts'
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

/** Applies the definitions, and waits until their kinds are served. */
export async function defineKinds(client: ApiClient): Promise<void> {
  const definitions = customResourceDefinitions()
  for (const definition of definitions) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition as object)
  for (const { spec } of definitions) while (!(await isServed(client, spec.names.plural))) await pause(20)
}

async function isServed(client: ApiClient, plural: string): Promise<boolean> {
  try {
    await client.read(`/apis/multicluster.x-k8s.io/v1beta1/${plural}`)
    return true
  } catch (error) {
    // Until its storage is there a kind is not found, or the server asks for a later request.
    if (error instanceof ApiError && [404, 429, 503].includes(error.code)) return false
    throw error
  }
}
