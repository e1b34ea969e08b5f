import { hash } from 'node:crypto'
import type { Offered } from './offered-endpoints.ts'

/**
 * Takes a share of a cluster's endpoints for one port, by rendezvous hashing:
 * 1. Rank all addresses by a digest that no other endpoint has a part in. Each importing cluster has an order
 *    of its own, so that all of the endpoints have work where several clusters take a share.
 * 2. Count the ready ones, the serving ones where none is ready, all where none serves; round the share up.
 * 3. Take from the first in the order to the last one counted. Those between them that are not ready come
 *    along: they get no connections, and lose none that they have.
 * An endpoint that comes, goes or changes moves one other ready one at most, and a larger share only adds.
 * @param share in %
 * @param home the importing cluster
 */
export function takeShare(
  offered: ReadonlyMap<string, Offered>,
  share: number,
  home: string,
): ReadonlySet<string> {
  if (share >= 100) return new Set(offered.keys())
  if (share === 0) return new Set()
  // 1.
  const ranked = [...offered]
    .map(([address, state]) => ({ address, state, rank: hash('sha256', `${home} ${address}`) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  // 2.
  const tiers = [ranked.filter(({ state }) => state.ready), ranked.filter(({ state }) => state.serving)]
  const counted = tiers.find(({ length }) => length > 0) ?? ranked
  const last = counted[Math.ceil((counted.length * share) / 100) - 1]
  // 3.
  return new Set(ranked.filter(({ rank }) => last && rank <= last.rank).map(({ address }) => address))
}
