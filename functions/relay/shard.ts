import { hash } from 'node:crypto'

/** Part of the clusters that a relay follows. */
interface Shard {
  /** Index of the shard, from 0. */
  readonly index: number
  readonly count: number
}

/** @param text `INDEX/COUNT`, as the setting `shard` allows it */
export function parseShard(text: string): Shard {
  const [index = 0, count = 1] = text.split('/').map(Number)
  return { index, count }
}

/**
 * Reports whether the shard follows the cluster. Each cluster belongs to the shard with the highest weight
 * for it (rendezvous hashing). So a further shard takes a share from each of the others and nothing else
 * moves.
 */
export function isAssigned(cluster: string, { index, count }: Shard): boolean {
  let [owner, highest] = [0, -1]
  for (let shard = 0; shard < count; shard++) {
    const weight = Number.parseInt(hash('sha256', `${shard}/${cluster}`).slice(0, 13), 16)
    if (weight > highest) [owner, highest] = [shard, weight]
  }
  return owner === index
}
