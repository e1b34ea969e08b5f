import type { Route } from './route.ts'

/** Formats a group or version for an operation's id, as upstream: letters and digits make up words. */
export function words(text: string, capitalized: boolean): string {
  const [first = '', ...rest] = text.split(/[^\p{L}\d_]+/u)
  return [capitalized ? capital(first) : first, ...rest.map(capital)].join('')
}

export function capital(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}

const shortGroup = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''))

/** Returns the part between the verb and the kind in an operation's id: `DiscoveryV1`. */
export function idPrefix(group: string, version: string): string {
  return `${words(shortGroup(group), true)}${words(version, true)}`
}

/** Returns a tag such as `discovery_v1`; the group alone for an empty version. */
export function tagOf(group: string, version: string): string {
  const tag = words(shortGroup(group), false)
  return version === '' ? tag : `${tag}_${words(version, false)}`
}

/** Returns the kind with its article: `an EndpointSlice`; plurals have none. */
export function withArticle(kind: string): string {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return kind
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
}

/** Groups routes by path, with methods in the order of documents. */
export function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const order = ['get', 'put', 'post', 'delete', 'patch']
  const sorted = [...routes].sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
  const paths = Map.groupBy(sorted, ({ path }) => path)
  return new Map([...paths].sort(([a], [b]) => (a < b ? -1 : 1)))
}
