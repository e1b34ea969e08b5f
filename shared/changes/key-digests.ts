import { hash } from 'node:crypto'
import type { Projections } from './cluster-index/projections.ts'
import type { Tables } from './cluster-index/tables.ts'
import { type KeyText, keyText, parseOwnerText } from './key-queue/key.ts'
import type { NodeTable } from './tables/node-table.ts'
import type { ServiceEntry } from './tables/service-table.ts'

/** Version of the digests: those of others are of no use. Increase it whenever the digests change. */
export const KEY_DIGEST_VERSION = 4

/**
 * Computes a digest for each key of the cluster, over all that is remembered of it: the Service, its pods and
 * the zones of their nodes in any order, its slices and their versions, the Endpoints that are mirrored, and
 * the capacity of all nodes if topology hints depend on it. Equal contents give equal digests in every
 * process. A Service that takes pods of another cluster has none.
 *
 * The slices' versions are in it so that a change that came and went again cannot be mistaken for none: the
 * function will have written in between.
 */
export function keyDigests(tables: Tables, projections: Projections): Map<KeyText, string> {
  const { cluster, services } = tables
  const parts = serviceParts(tables)
  for (const [key, { service, resourceVersion }] of tables.slices.entries()) {
    if (service === '') continue
    // Of one that is not managed, it may say what becomes of the slices that it left behind.
    const left = services.get(service)
    const known = parts.get(service) ?? (left === undefined ? [] : [left.digest])
    parts.set(service, known)
    known.push(`slice ${key} ${resourceVersion}`)
  }
  for (const [key, fact] of projections.facts()) parts.set(key, [...(parts.get(key) ?? []), fact])
  const digests = new Map<KeyText, string>()
  for (const [key, texts] of parts) digests.set(keyText({ cluster, ...parseOwnerText(key) }), digestOf(texts))
  for (const [key, { selection }] of services.entries())
    if (selection.kind === 'managed' && selection.clusters !== undefined)
      digests.delete(keyText({ cluster, ...parseOwnerText(key) }))
  return digests
}

/** Returns what is remembered of the Services, their pods, and the Endpoints that are mirrored. */
function serviceParts(tables: Tables): Map<string, string[]> {
  const { services, endpoints, nodes } = tables
  const parts = new Map<string, string[]>()
  for (const [key, { selection, digest, topologyHints }] of services.entries()) {
    const mirrored = selection.kind === 'mirrored' ? endpoints.get(key) : undefined
    if (mirrored !== undefined) parts.set(key, [digest, `endpoints ${mirrored}`])
    if (selection.kind !== 'mirrored' && selection.kind !== 'unmanaged')
      parts.set(key, [digest, topologyHints ? capacityDigest(nodes) : '', ...podTexts(tables, selection)])
  }
  return parts
}

/** A Pod on a missing Node is in no slice; one on a Node without a zone is. No zone has this name. */
const NO_NODE = '(no node)'

function* podTexts({ pods, nodes }: Tables, selection: ServiceEntry['selection']): Generator<string> {
  if (selection.kind !== 'managed') return
  for (const [, { digest, node }] of pods.selected(selection))
    yield `pod ${digest} ${nodes.get(node)?.zone ?? NO_NODE}`
}

const capacityDigest = (nodes: NodeTable): string =>
  digestOf([...nodes.entries()].map(([name, { zone, capacity }]) => `${name} ${zone} ${capacity}`))

/** Hashes texts to 128 bits: enough for any number of keys, and short in a file. */
const digestOf = (texts: string[]): string =>
  hash('sha256', texts.sort().join('\n'), 'base64url').slice(0, 22)
