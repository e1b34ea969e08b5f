import type { Node } from '../types.ts'
import { LABEL_ZONE } from '../well-known.ts'

/** Each zone's share of all CPU, by zone name in ascending order; the shares add up to 1. */
export type ZoneCpu = ReadonlyMap<string, number>

/** Nodes with one of these labels take no part in spreading endpoints. */
const EXCLUDED_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/**
 * Computes how the CPU of the ready worker nodes is spread over the zones.
 * @returns `undefined` when one of them lacks a zone or allocatable CPU, or they stand in less than two zones
 */
export function zoneCpuOf(nodes: readonly Node[]): ZoneCpu | undefined {
  const spread = spreadOf(nodes)
  return typeof spread === 'string' ? undefined : spread
}

/** Returns why zoneCpuOf() finds nothing, in words, or `undefined` if it finds something. */
export function zoneCpuProblem(nodes: readonly Node[]): string | undefined {
  const spread = spreadOf(nodes)
  return typeof spread === 'string' ? spread : undefined
}

function spreadOf(nodes: readonly Node[]): ZoneCpu | string {
  const byZone = new Map<string, number>()
  let total = 0
  for (const node of nodes) {
    if (!counts(node)) continue
    const zone = node.metadata?.labels?.[LABEL_ZONE] ?? ''
    const cpu = parseCpu(node.status?.allocatable?.cpu)
    if (zone === '') return `node ${node.metadata?.name} has no label ${LABEL_ZONE}`
    if (cpu === 0) return `node ${node.metadata?.name} has no allocatable CPU`
    byZone.set(zone, (byZone.get(zone) ?? 0) + cpu)
    total += cpu
  }
  if (byZone.size < 2) return `the ready worker nodes stand in ${byZone.size} zones, and 2 are needed`
  const zones = [...byZone].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(zones.map(([zone, cpu]) => [zone, cpu / total]))
}

function counts(node: Node): boolean {
  const labels = node.metadata?.labels ?? {}
  if (EXCLUDED_LABELS.some((label) => Object.hasOwn(labels, label))) return false
  const ready = (node.status?.conditions ?? []).find((condition) => condition.type === 'Ready')
  return ready?.status === 'True'
}

/** Factors of the suffixes of a Kubernetes quantity (apimachinery resource.Quantity), in thousandths. */
const MILLI: Readonly<Record<string, number>> = {
  n: 1e-6,
  u: 1e-3,
  m: 1,
  '': 1e3,
  k: 1e6,
  M: 1e9,
  G: 1e12,
  Ki: 1024e3,
  Mi: 1024 ** 2 * 1e3,
  Gi: 1024 ** 3 * 1e3,
}
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|(n|u|m|k|M|G|Ki|Mi|Gi)?)$/

/** Parses CPU into thousandths of a core, such as 3920 for `3920m`; 0 if absent or no quantity. */
export function parseCpu(quantity: unknown): number {
  const match = QUANTITY.exec(String(quantity ?? ''))
  if (match === null) return 0
  const [, digits = '', exponent = '0', suffix = ''] = match
  return Number(`${digits}e${exponent}`) * (MILLI[suffix] ?? 0)
}
