import type { ResourceDefinition, Subresource } from '../../registry/definition/resource-definition.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
}

/** Returns the name of a resource's schema in the documents. */
export function schemaNameOf({ schema, group, version, kind }: ResourceDefinition): string {
  if (schema !== undefined) return structSchemaName(schema)
  return [...group.split('.').reverse(), version, kind].filter((part) => part !== '').join('.')
}

/** Returns the name of the schema of a resource's lists. */
export function listNameOf(definition: ResourceDefinition): string {
  const name = schemaNameOf(definition)
  const { kind, listKind } = definition
  return listKind ? `${name.slice(0, name.length - kind.length)}${listKind}` : `${name}List`
}

/** Returns the name of the schema in which a subresource is read and written. */
export function subresourceSchemaName(
  definition: ResourceDefinition,
  { kind, schema, group }: Subresource,
): string {
  if (schema !== undefined) return structSchemaName(schema)
  return group === 'autoscaling' && kind === 'Scale'
    ? structSchemaName('autoscaling.Scale')
    : schemaNameOf(definition)
}

function structSchemaName(struct: string): string {
  const [pkg = '', type] = struct.split('.')
  return `${PACKAGES[pkg] ?? `io.k8s.api.${pkg}.v1`}.${type}`
}
