import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'

type BuiltInKind = Required<
  Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'plural' | 'singular' | 'schema'>
>

/** Names a kind of Kubernetes itself in `v1`: its plural and its Go struct follow from kind and group. */
export function builtInKind(group: string, kind: string): BuiltInKind {
  const singular = kind.toLowerCase()
  const [goPackage] = group.split('.')
  return {
    group,
    version: 'v1',
    kind,
    plural: pluralOf(singular),
    singular,
    schema: `${goPackage || 'core'}.${kind}`,
  }
}

function pluralOf(singular: string): string {
  if (singular.endsWith('ss')) return `${singular}es`
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`
  return singular.endsWith('s') ? singular : `${singular}s`
}
