import { describe, expect, it, vi } from 'vitest'
import { type ApiClient, NotFoundError, type Resource } from '../../../shared/kubernetes/index.ts'
import { soon, useLaterClock } from '../relay.fixtures.ts'
import {
  createSlice,
  exportService,
  type FleetCluster,
  startClusters,
  useFleetRelays,
} from './fleet-relay.fixtures.ts'

const WEB = 'clusterset:default/shop/web'
const API = 'clusterset:default/shop/api'

describe('a member of a cluster set that is out of reach', () => {
  const scene = useFleetRelays()
  const { start, untilSent, metric } = scene
  const passTime = useLaterClock()

  const shut = ({ proxy }: FleetCluster): void => {
    proxy.setOpen(false)
    proxy.cutAll()
  }
  const failing = (count: number): Promise<void> =>
    expect
      .poll(async () => (await metric('watch_failing')).filter((line) => line.endsWith(' 1')))
      .toHaveLength(count)

  it('at the start holds up no other’s keys, which name no versions until it is listed', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    shut(us)
    const followed: string[] = []
    const relay = start([eu, us], {}, { observer: { onSynced: (cluster) => void followed.push(cluster) } })
    await untilSent(`sweep ${WEB}`)
    await createSlice(eu, 'web', '10.0.0.1')
    await untilSent(`live ${WEB}`)
    for (const message of scene.queue.messages) expect(message).not.toHaveProperty('fleetVersions')
    expect(followed).toEqual(['eu'])
    expect((await metric('cluster_synced')).at(-1)).toBe(
      'sliceflow_relay_cluster_synced{cluster="clusterset:default"} 0',
    )
    us.proxy.setOpen(true)
    await relay.synced
    await untilSent(`sweep ${WEB}`)
    expect(scene.queue.messages.at(-1), 'a sweep names none').not.toHaveProperty('fleetVersions')
    expect(followed).toEqual(['eu', 'us'])
  })

  it('and says nothing at all is waited for no longer than a moment, and holds up no end', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    const hanging = new Promise<never>(() => {})
    const client = { ...us.client, pages: () => neverEnding(hanging), read: () => hanging }
    const relay = start([eu, { ...us, client }], {}, { times: { maxWaitMs: 50 } })
    await untilSent(`sweep ${WEB}`)
    await createSlice(eu, 'web', '10.0.0.1')
    await untilSent(`live ${WEB}`)
    expect(relay.health().ready).toEqual({ ok: false, reason: 'not listed yet: us' })
    expect(await relay.stop(soon())).toBe(0)
  })

  it('for long has the keys of what it exports synced, and once it is back all of them', async () => {
    const [eu, us] = await startClusters()
    await Promise.all([exportService(eu, 'web'), exportService(us, 'api')])
    const relay = start([eu, us])
    await relay.synced
    await untilSent(`sweep ${API}`, `sweep ${WEB}`)
    shut(us)
    await failing(5)
    await createSlice(eu, 'web', '10.0.0.1')
    await untilSent(`live ${WEB}`)
    expect(scene.queue.messages.at(-1)?.fleetVersions, 'functions read it themselves').toBeUndefined()
    passTime(31)
    await untilSent(`sweep ${API}`)
    expect(relay.health().unreachable).toEqual(['us'])
    us.proxy.setOpen(true)
    await untilSent(`sweep ${API}`, `sweep ${WEB}`)
    await failing(0)
    expect(relay.health()).toMatchObject({ ready: { ok: true, reason: 'ok' }, unreachable: [] })
  })

  it('or answers 404 for a kind that it says it serves still has what it exported', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    let isLying = false
    const refuse = ({ kind }: Resource): void => {
      if (isLying && kind === 'ServiceExport') throw new NotFoundError('failed to find', 404, {})
    }
    const client: ApiClient = {
      ...eu.client,
      async *pages(resource, options) {
        refuse(resource)
        yield* eu.client.pages(resource, options)
      },
      async watch(resource, options) {
        refuse(resource)
        return eu.client.watch(resource, options)
      },
    }
    const relay = start([{ ...eu, client }, us])
    await relay.synced
    await untilSent(`sweep ${WEB}`)
    isLying = true
    eu.proxy.cutAll()
    const exportsOfEu = 'sliceflow_relay_watch_failing{cluster="eu",kind="serviceexports"}'
    await vi.waitFor(async () => {
      const failingNow = (await metric('watch_failing')).filter((line) => line.endsWith(' 1'))
      expect(failingNow).toEqual([`${exportsOfEu} 1`])
    }, 15_000)
    expect(scene.queue.sent).toEqual([])
    await createSlice(eu, 'web', '10.0.0.1')
    await untilSent(`live ${WEB}`)
    isLying = false
    await failing(0)
    expect(scene.queue.sent).toEqual([])
  })
})

async function* neverEnding(hanging: Promise<never>): AsyncGenerator<never> {
  yield hanging
}
