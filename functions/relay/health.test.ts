import { describe, expect, it } from 'vitest'
import { type ClusterHealth, healthOf } from './health.ts'

const cluster = (name: string, state: ClusterHealth['state'], idleMs = 0): ClusterHealth => ({
  cluster: name,
  state,
  idleMs,
})

describe('the health of a relay', () => {
  it('is ready once every cluster was listed', () => {
    expect(healthOf([cluster('a', 'synced'), cluster('b', 'listing')]).ready).toEqual({
      ok: false,
      reason: 'not listed yet: b',
    })
    expect(healthOf([cluster('a', 'synced'), cluster('b', 'synced')]).ready.ok).toBe(true)
  })

  it('does not wait for a cluster that cannot be reached', () => {
    const { live, ready } = healthOf([cluster('a', 'synced'), cluster('b', 'unreachable')])
    expect(ready).toEqual({ ok: true, reason: 'ok, without b' })
    expect(live.ok).toBe(true)
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

  it('no longer lives when nothing at all happens any more', () => {
    expect(healthOf([cluster('a', 'synced', 300_000), cluster('b', 'synced', 299_999)]).live.ok).toBe(true)
    expect(healthOf([cluster('a', 'synced', 300_000), cluster('b', 'unreachable', 300_000)]).live.ok).toBe(
      false,
    )
  })
})
