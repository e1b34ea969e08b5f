import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../apimachinery/errors/status.ts'
import { objectAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { LeaderElection } from './leader-election.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that has one Lease. */
class LeaseServer {
  lease: KubeObject | undefined
  #version = 0
  readonly away = new Set<string>()

  candidate(identity: string) {
    const stop = new AbortController()
    const answer = async (): Promise<void> => {
      if (this.away.has(identity)) throw new ApiError(503, 'ServiceUnavailable', 'away')
    }
    const put = (lease: KubeObject): void => {
      this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } }
    }
    const client = {
      get: async () => {
        await answer()
        return this.lease
      },
      create: async (_: unknown, lease: KubeObject) => {
        await answer()
        if (this.lease) throw new ApiError(409, 'AlreadyExists', 'it is there')
        put(lease)
      },
      update: async (_: unknown, lease: KubeObject) => {
        await answer()
        if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
          throw new ApiError(409, 'Conflict', 'it has changed')
        put(lease)
      },
    }
    const election = new LeaderElection({ client, identity, signal: stop.signal, onError: () => undefined })
    const state = { leads: false }
    const run = async (): Promise<void> => {
      state.leads = await election.acquire()
      if (!state.leads) return
      await election.hold()
      state.leads = false
    }
    return { state, stop, election, ended: run() }
  }

  get spec() {
    return objectAt(this.lease, 'spec')
  }
}

it('one of two leads, as long as it renews the Lease', async () => {
  const server = new LeaseServer()
  const [a, b] = [server.candidate('a'), server.candidate('b')]
  await vi.advanceTimersByTimeAsync(120_000)
  expect([a.state.leads, b.state.leads]).toEqual([true, false])
  expect(server.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 })
})

it('who cannot renew it stops before another one leads', async () => {
  const server = new LeaseServer()
  const [a, b] = [server.candidate('a'), server.candidate('b')]
  await vi.advanceTimersByTimeAsync(10_000)
  server.away.add('a')
  let gap = 0
  for (let second = 0; second < 60 && !b.state.leads; second++) {
    await vi.advanceTimersByTimeAsync(1000)
    expect(a.state.leads && b.state.leads).toBe(false)
    if (!a.state.leads && !b.state.leads) gap++
  }
  expect(b.state.leads).toBe(true)
  expect(gap).toBeGreaterThan(1)
  expect(server.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
})

it('a short outage changes nothing', async () => {
  const server = new LeaseServer()
  const a = server.candidate('a')
  await vi.advanceTimersByTimeAsync(10_000)
  server.away.add('a')
  await vi.advanceTimersByTimeAsync(5_000)
  server.away.delete('a')
  await vi.advanceTimersByTimeAsync(30_000)
  expect(a.state.leads).toBe(true)
})

it('who leaves lets another one lead at the next try', async () => {
  const server = new LeaseServer()
  const [a, b] = [server.candidate('a'), server.candidate('b')]
  await vi.advanceTimersByTimeAsync(10_000)
  a.stop.abort()
  await a.ended
  await a.election.release()
  await vi.advanceTimersByTimeAsync(2_000)
  expect([a.state.leads, b.state.leads]).toEqual([false, true])
})

it('who does not lead takes nothing away when it leaves', async () => {
  const server = new LeaseServer()
  const [, b] = [server.candidate('a'), server.candidate('b')]
  await vi.advanceTimersByTimeAsync(10_000)
  b.stop.abort()
  await b.ended
  await b.election.release()
  expect(server.spec).toMatchObject({ holderIdentity: 'a' })
})
