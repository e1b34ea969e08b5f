import type { ClusterExport, Merge, MergedService } from './export/index.ts'
import {
  conflictCondition,
  type MergeOptions,
  mergePorts,
  type Offer,
  type Offers,
  parseExport,
} from './merging/index.ts'
import type { ImportPort } from './resources.ts'

/**
 * Makes one Service of what the clusters of a set export, at most once each. Where they disagree the oldest
 * ServiceExport wins, of equally old ones that of the cluster whose id comes first; ports are put together.
 * The result depends on nothing else, such as the order of the exports. Never throws: parts that cannot be
 * read are left out, and the conditions say so.
 */
export function mergeExports(exports: readonly ClusterExport[], options: MergeOptions = {}): Merge {
  const readings = exports.map((each) => parseExport(each, options))
  const offers = readings.flatMap(({ offer }) => offer ?? []).sort(byAge)
  if (!isSome(offers)) {
    return {
      merged: undefined,
      wantedConditions: new Map(readings.map(({ cluster, valid }) => [cluster, [valid]])),
      leftOut: new Map(),
    }
  }
  const ports = mergePorts(offers)
  const conflict = conflictCondition(offers, ports)
  return {
    merged: mergedService(offers, ports.ports),
    wantedConditions: new Map(
      readings.map(({ cluster, valid, offer }) => [
        cluster,
        offer === undefined ? [valid] : [valid, conflict],
      ]),
    ),
    leftOut: new Map(
      readings.flatMap(({ cluster, leftOut }) => (leftOut === undefined ? [] : [[cluster, leftOut]])),
    ),
  }
}

const isSome = (offers: readonly Offer[]): offers is Offers => offers.length > 0

function byAge(a: Offer, b: Offer): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1
  return a.cluster < b.cluster ? -1 : 1
}

function mergedService(offers: Offers, ports: readonly ImportPort[]): MergedService {
  const [oldest] = offers
  const { timeoutSeconds, trafficDistribution, policy, clusterSelectors } = oldest
  return {
    spec: {
      type: oldest.type,
      ports: [...ports],
      sessionAffinity: oldest.sessionAffinity,
      ...(timeoutSeconds !== undefined && { sessionAffinityConfig: { clientIP: { timeoutSeconds } } }),
      internalTrafficPolicy: oldest.internalTrafficPolicy,
      ...(trafficDistribution !== undefined && { trafficDistribution }),
      ...(clusterSelectors && { clusterSelectors: [...clusterSelectors] }),
    },
    labels: oldest.labels,
    annotations: oldest.annotations,
    ...(policy && { policy }),
    clusters: offers.map(({ cluster }) => cluster),
  }
}
