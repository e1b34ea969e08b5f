/**
 * Milliseconds from changes to their keys; a key stands for every change of it before. The two are told by
 * different processes, so that a key may be told before its change.
 */
export interface LatencyRecord {
  changed(cluster: string, service: string, at: number): void
  sent(cluster: string, service: string, at: number): void
  /** Keys with changes that were not sent yet. */
  readonly open: number
  /** @param share from 0 to 1 */
  percentile(share: number): number
}

export function createLatencyRecord(): LatencyRecord {
  const open = new Map<string, number[]>()
  const lastSent = new Map<string, number>()
  const latencies: number[] = []
  function settle(key: string): void {
    const sentAt = lastSent.get(key) ?? Number.NEGATIVE_INFINITY
    const changes = open.get(key) ?? []
    for (const at of changes) if (at <= sentAt) latencies.push(sentAt - at)
    const left = changes.filter((at) => at > sentAt)
    if (left.length > 0) open.set(key, left)
    else open.delete(key)
  }
  return {
    changed(cluster, service, at) {
      const key = `${cluster}/${service}`
      open.set(key, [...(open.get(key) ?? []), at])
      settle(key)
    },
    sent(cluster, service, at) {
      const key = `${cluster}/${service}`
      lastSent.set(key, at)
      settle(key)
    },
    get open() {
      return open.size
    },
    percentile(share) {
      const sorted = latencies.toSorted((a, b) => a - b)
      return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
    },
  }
}
