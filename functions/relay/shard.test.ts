import { describe, expect, it } from 'vitest'
import { isAssigned, parseShard } from './shard.ts'

const clusters = Array.from({ length: 1000 }, (_, index) => `arn:aws:eks:eu-west-1:1:cluster/c${index}`)
const ownerOf = (cluster: string, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index).filter((index) => isAssigned(cluster, { index, count }))

describe('shards', () => {
  it('follow each cluster once', () => {
    for (const cluster of clusters) expect(ownerOf(cluster, 5)).toHaveLength(1)
  })

  it('have no more than half again of their share where there are 40 clusters', () => {
    for (const name of ['cluster-', 'eu-', 'arn:aws:eks:eu-west-1:1:cluster/c', 'prod-']) {
      const owned = Array.from({ length: 40 }, (_, index) => ownerOf(`${name}${index}`, 4)[0])
      for (const own of Map.groupBy(owned, (owner) => owner).values())
        expect(own.length).toBeLessThanOrEqual((1.5 * 40) / 4)
    }
  })

  it('keep their clusters when one is added, apart from what the new one takes', () => {
    const moved = clusters.filter((cluster) => ownerOf(cluster, 3)[0] !== ownerOf(cluster, 4)[0])
    expect(moved.length).toBeGreaterThan(150)
    expect(moved.length).toBeLessThan(350)
    for (const cluster of moved) expect(ownerOf(cluster, 4)).toEqual([3])
  })

  it('keep their clusters from release to release', () => {
    expect(clusters.slice(0, 8).map((cluster) => ownerOf(cluster, 3)[0])).toEqual([2, 2, 1, 2, 2, 2, 1, 1])
  })

  it('are one by default, which follows all', () => {
    const all = parseShard('0/1')
    expect(all).toEqual({ index: 0, count: 1 })
    expect(clusters.every((cluster) => isAssigned(cluster, all))).toBe(true)
  })
})
