import { hash } from 'node:crypto'
import { type KeyText, keyText, parseOwnerText } from './key-queue/key.ts'
import type { NodeDigest } from './tables/digests.ts'
import { type MatchedContent, matchedPods } from './tables/pod-matches.ts'
import { type ServiceEntry, textOfEntry } from './tables/service-table.ts'
import type { SliceEntry } from './tables/slice-table.ts'

/**
 * Version of the way in which digests are made: digests of others are of no use. To be counted up with every
 * change that gives other digests.
 */
export const KEY_DIGEST_VERSION = 4

/** Content of an index, each by `namespace/name`. */
export interface IndexContent extends MatchedContent {
  readonly cluster: string
  services(): Iterable<[string, ServiceEntry]>
  service(key: string): ServiceEntry | undefined
  nodes(): Iterable<[string, NodeDigest]>
  node(name: string): NodeDigest | undefined
  slices(): Iterable<[string, SliceEntry]>
  /** Returns the version of the Endpoints of a Service's name, if they are watched and there are any. */
  endpoints(service: string): string | undefined
  /** Lists what is known of the projections of Services, by the text of the EndpointSelector. */
  projections(): Iterable<readonly [string, string]>
}

/**
 * Computes a digest for each key of the cluster, over all that is remembered of it: the Service, its pods and
 * the zones of their nodes in any order, its slices and their versions, the Endpoints that are mirrored, and
 * the capacity of all nodes if topology hints depend on it. Equal contents give equal digests in every
 * process. A Service that takes pods of another cluster has none.
 *
 * The slices' versions are in it so that a change that came and went again cannot be mistaken for none: the
 * function will have written in between.
 */
export function keyDigests(content: IndexContent): Map<KeyText, string> {
  const parts = serviceParts(content)
  for (const [key, { service, resourceVersion }] of content.slices()) {
    if (service === '') continue
    // Of one that is not managed, it may say what becomes of the slices that it left behind.
    const left = content.service(service)
    const known = parts.get(service) ?? (left === undefined ? [] : [left.digest])
    parts.set(service, known)
    known.push(`slice ${key} ${resourceVersion}`)
  }
  for (const [key, fact] of content.projections()) parts.set(key, [...(parts.get(key) ?? []), fact])
  addPods(content, parts)
  const digests = new Map<KeyText, string>()
  for (const [key, texts] of parts) {
    digests.set(keyText({ cluster: content.cluster, ...parseOwnerText(key) }), digestOf(texts))
  }
  for (const [key, { selection, cluster }] of content.services())
    if (selection.kind === 'managed' && selection.clusters !== undefined)
      digests.delete(keyText({ cluster, ...parseOwnerText(key) }))
  return digests
}

/** Returns what is remembered of the Services themselves, and of the Endpoints that are mirrored. */
function serviceParts(content: IndexContent): Map<string, string[]> {
  const parts = new Map<string, string[]>()
  for (const [key, { selection, digest, topologyHints }] of content.services()) {
    const mirrored = selection.kind === 'mirrored' ? content.endpoints(key) : undefined
    if (mirrored !== undefined) parts.set(key, [digest, `endpoints ${mirrored}`])
    if (selection.kind !== 'mirrored' && selection.kind !== 'unmanaged')
      parts.set(key, [digest, topologyHints ? capacityDigest(content) : ''])
  }
  return parts
}

/**
 * A pod on a node that does not exist is left out of the slices; on one without a zone it is not. No zone is
 * called so.
 */
const NO_NODE = '(no node)'

function addPods(content: IndexContent, parts: ReadonlyMap<string, string[]>): void {
  for (const [, { digest, node }, services] of matchedPods(content)) {
    const text = `pod ${digest} ${content.node(node)?.zone ?? NO_NODE}`
    for (const service of services)
      if (service.cluster === content.cluster) parts.get(textOfEntry(service))?.push(text)
  }
}

function capacityDigest({ nodes }: IndexContent): string {
  return digestOf([...nodes()].map(([name, { zone, capacity }]) => `${name} ${zone} ${capacity}`))
}

/** Hashes texts to 128 bits: enough for any number of keys, and short in a file. */
const digestOf = (texts: string[]): string =>
  hash('sha256', texts.sort().join('\n'), 'base64url').slice(0, 22)
