import { describe, expect, it } from 'vitest'
import { type ClusterHealth, healthOf } from './health.ts'

type State = 'synced' | 'listing' | 'unreachable'
const cluster = (name: string, state: State, idleMs = [0]): ClusterHealth => ({
  cluster: name,
  hasSynced: state === 'synced',
  isOut: state === 'unreachable',
  watches: idleMs.map((ms, index) => ({ kind: `kind-${index}`, idleMs: ms })),
})

describe('the health of a relay', () => {
  it('is ready once every cluster was listed', () => {
    expect(healthOf([cluster('a', 'synced'), cluster('b', 'listing')]).ready).toEqual({
      ok: false,
      reason: 'not listed yet: b',
    })
    expect(healthOf([cluster('a', 'synced'), cluster('b', 'synced')]).ready).toEqual({
      ok: true,
      reason: 'ok',
    })
  })

  it('names the clusters that cannot be reached, those that were listed before among them', () => {
    const lost = { ...cluster('b', 'synced'), isOut: true }
    const { ready, unreachable } = healthOf([cluster('a', 'synced'), lost, cluster('c', 'unreachable')])
    expect(unreachable).toEqual(['b', 'c'])
    expect(ready).toEqual({ ok: true, reason: 'ok, without c' })
  })

  it('is not ready while no cluster at all can be reached, so that a roll-out stops there; but it lives', () => {
    const { live, ready } = healthOf([cluster('a', 'unreachable'), cluster('b', 'unreachable')])
    expect(ready).toEqual({ ok: false, reason: 'no cluster can be reached: a, b' })
    expect(live.ok).toBe(true)
  })

  it('is ready without a cluster to follow', () => {
    expect(healthOf([]).ready.ok).toBe(true)
    expect(healthOf([]).live.ok).toBe(true)
  })

  it('is not ready while a watch hangs, and says which; it lives while others work', () => {
    const { live, ready } = healthOf([
      cluster('a', 'synced', [0, 300_000]),
      cluster('b', 'synced', [299_999]),
    ])
    expect(ready).toEqual({ ok: false, reason: 'nothing for 300 s from the watch of kind-1 of a' })
    expect(live.ok).toBe(true)
  })

  it('no longer lives when nothing at all happens any more', () => {
    expect(
      healthOf([cluster('a', 'synced', [300_000, 300_000]), cluster('b', 'synced', [299_999])]).live.ok,
    ).toBe(true)
    expect(
      healthOf([cluster('a', 'synced', [300_000]), cluster('b', 'unreachable', [300_000])]).live,
    ).toEqual({ ok: false, reason: 'no watch of any cluster has done anything for 300 s' })
    expect(healthOf([cluster('a', 'synced', [0, 300_000])]).live.ok).toBe(true)
  })
})
