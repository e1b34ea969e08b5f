import type { BlockList } from 'node:net'
import { findServed, serviceExports, serviceImports } from '../../../shared/fleet/index.ts'
import { blockListOf } from '../../../shared/settings/index.ts'
import { type Check, type CheckContext, type Finding, failure, ok, unchecked, warning } from '../check.ts'
import type { ExaminedCluster } from '../examined-cluster.ts'

export const FLEET_CHECKS: readonly Check[] = [
  { name: 'definitions', run: findDefinitions },
  { name: 'Pod ranges', run: compareRanges },
]

async function findDefinitions({ cluster }: CheckContext): Promise<Finding | undefined> {
  const { client, fleetRole, kubectl } = cluster
  if (fleetRole === undefined) return undefined
  const [exports, imports] = await Promise.all([
    findServed<object>(client, serviceExports),
    findServed<object>(client, serviceImports),
  ])
  const missing = [exports ? [] : ['ServiceExport'], imports ? [] : ['ServiceImport']].flat()
  if (exports !== undefined && imports !== undefined)
    return ok(`serves ServiceExport ${exports.version} and ServiceImport ${imports.version}`)
  return failure(
    `the cluster does not serve ${missing.join(' and ')} of multicluster.x-k8s.io in a version that is understood`,
    `sliceflow crds --fleet | ${kubectl} apply -f -`,
  )
}

/** Routes between clusters cannot be checked from here; ranges that overlap leave none. */
async function compareRanges({ cluster, clusters, fleets }: CheckContext): Promise<Finding | undefined> {
  if (cluster.fleetRole === undefined) return undefined
  const own = await cluster.podRanges()
  if (own.length === 0) return unchecked('its nodes name no Pod ranges: whether routes exist is not known')
  const names = fleets
    .filter(({ set }) => set.members.some((member) => member.cluster === cluster.name))
    .flatMap(({ set }) => set.members.map((member) => member.cluster))
  const others = clusters.filter((other) => other !== cluster && names.includes(other.name))
  const found = await Promise.all(others.map((other) => overlapWith(own, other)))
  const overlaps = found.flatMap((one) => one ?? [])
  if (overlaps.length === 0) return ok('no Pod range is that of another member')
  return warning(
    `Pod ranges overlap: ${overlaps.join(', ')}; nothing can be routed to Pods of both`,
    'give the clusters Pod ranges of their own, or leave one of them out of the set (--fleet-role CONTEXT=leave)',
  )
}

/** Returns the ranges in words, if any overlap. One that cannot be read is reported by its own checks. */
async function overlapWith(own: readonly string[], other: ExaminedCluster): Promise<string | undefined> {
  const theirs = await other.podRanges().catch(() => [])
  const [mine, others] = [blockListOf(own), blockListOf(theirs)]
  const range = own.find((each) => holds(others, each)) ?? theirs.find((each) => holds(mine, each))
  return range && `${range} with ${other.name}`
}

/** Of two ranges that overlap, one holds the first address of the other. */
function holds(list: BlockList, range: string): boolean {
  const [address = ''] = range.split('/')
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}
