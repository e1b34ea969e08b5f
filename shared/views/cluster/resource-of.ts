import type { Resource } from '../../kubernetes/index.ts'
import type { ResourceSpec } from '../spec/index.ts'

/**
 * The resource of a kind. Its plural follows the rule that API servers keep for their own kinds and code generators
 * for all others: `EndpointSlice` → `endpointslices`, `Ingress` → `ingresses`, `NetworkPolicy` → `networkpolicies`.
 */
export function resourceOf({ group, kind, version = 'v1' }: ResourceSpec): Resource {
  return { group, version, kind, plural: pluralOf(kind.toLowerCase()), namespaced: !CLUSTER_SCOPED.has(kind) }
}

function pluralOf(word: string): string {
  if (word === 'endpoints') return word
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}

/** Of the kinds that Kubernetes has itself; others are taken to be namespaced. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'IngressClass',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
])
