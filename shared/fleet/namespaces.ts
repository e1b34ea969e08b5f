import type { ClusterSet } from './cluster-set.ts'

/** Namespaces of a cluster's own, which are never the same in others. */
const OWN_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease'])

/**
 * Whether Services of a namespace are the same in every cluster of the set. In a pattern `*` stands for any
 * text; namespaces that every cluster has of its own must be named in full.
 */
export const isOfSet = ({ namespaces }: ClusterSet, namespace: string): boolean =>
  namespaces.includes(namespace) ||
  (!OWN_NAMESPACES.has(namespace) && namespaces.some((pattern) => matches(pattern, namespace)))

/** Without a regular expression: patterns come from people. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at < 0 || at + part.length > text.length - last.length) return false
    from = at + part.length
  }
  return true
}
