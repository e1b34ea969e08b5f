import type { ImportPort } from '../resources.ts'
import { conflictCondition, mergePorts, type Offers } from './merge-ports.ts'
import type { ClusterExport, Merge, MergedService, WantedCondition } from './merged-service.ts'
import { type MergeOptions, type Offer, parseExport, reaches } from './parse-export.ts'

/**
 * Makes one Service of what the clusters of a set export, at most once each. Where they disagree the oldest
 * ServiceExport wins, of equally old ones that of the cluster whose id comes first; ports are put together.
 * The result depends on nothing else, such as the order of the exports. Never throws: parts that cannot be
 * read are left out, and the conditions say so. An export that is for some clusters counts in these alone.
 */
export function mergeExports(exports: readonly ClusterExport[], options: MergeOptions = {}): Merge {
  const readings = exports.map((each) => parseExport(each, options))
  const offers = readings.flatMap(({ offer }) => offer ?? []).sort(byAge)
  const merges = new Map<string, MergedOffers | undefined>()
  const mergeOf = (some: readonly Offer[]): MergedOffers | undefined => {
    const key = some.map(({ cluster }) => cluster).join()
    if (!merges.has(key)) merges.set(key, mergeOffers(some))
    return merges.get(key)
  }
  const whole = mergeOf(offers)
  const isForSome = offers.some(({ to }) => to !== undefined)
  const mergeIn = (importer: string): MergedOffers | undefined =>
    isForSome ? mergeOf(offers.filter((offer) => reaches(offer, importer))) : whole
  const conflictOf = (offer: Offer): WantedCondition | undefined => {
    if (!isForSome) return whole?.conflict
    const reached = [offer.cluster, ...(options.importers ?? [])].filter((id) => reaches(offer, id))
    const conflicts = reached.flatMap((id) => mergeIn(id)?.conflict ?? [])
    return conflicts.find(({ status }) => status === 'True') ?? conflicts[0]
  }
  return {
    merged: whole?.merged,
    importedBy: (importer) => mergeIn(importer)?.merged,
    wantedConditions: new Map(
      readings.map(({ cluster, valid, offer }) => [
        cluster,
        [valid, (offer && conflictOf(offer)) ?? []].flat(),
      ]),
    ),
    leftOut: new Map(
      readings.flatMap(({ cluster, leftOut }) => (leftOut === undefined ? [] : [[cluster, leftOut]])),
    ),
  }
}

interface MergedOffers {
  readonly merged: MergedService
  readonly conflict: WantedCondition
}

function mergeOffers([oldest, ...others]: readonly Offer[]): MergedOffers | undefined {
  if (oldest === undefined) return undefined
  const offers: Offers = [oldest, ...others]
  const ports = mergePorts(offers)
  return { merged: mergedService(offers, ports.ports), conflict: conflictCondition(offers, ports) }
}

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
      sessionAffinityConfig: timeoutSeconds === undefined ? undefined : { clientIP: { timeoutSeconds } },
      internalTrafficPolicy: oldest.internalTrafficPolicy,
      trafficDistribution,
      clusterSelectors: clusterSelectors && [...clusterSelectors],
    },
    labels: oldest.labels,
    annotations: oldest.annotations,
    policy,
    clusters: offers.map(({ cluster }) => cluster),
  }
}
