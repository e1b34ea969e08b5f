import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, KubernetesError, PODS, SERVICES } from '../../kubernetes/index.ts'
import { atRest, KEY, type MemoryCluster, startProcess, webPod } from '../memory-cluster.fixtures.ts'
import { SETTINGS } from '../sync/sync-hinted-pods.fixtures.ts'

const AHEAD = { selector: 'app in (web)', nodes: ['node-1'] }

/** Changes the Service, which is then newer than its slices. */
function relabel(cluster: MemoryCluster): void {
  const [service] = cluster.all<Service>(SERVICES)
  cluster.put(SERVICES, { ...service, metadata: { ...service?.metadata, labels: { tier: 'front' } } })
}

async function changed() {
  const cluster = await atRest(2, SETTINGS)
  relabel(cluster)
  const { handle } = startProcess(cluster, { settings: SETTINGS })
  return {
    cluster,
    /** Returns the calls but for the writes. */
    async reads(readAhead = AHEAD) {
      cluster.calls.length = 0
      await handle({ ...KEY, readAhead })
      return cluster.calls.filter((call) => !call.startsWith('update') && !call.startsWith('create'))
    },
    slices: () => cluster.all<EndpointSlice>(ENDPOINT_SLICES),
  }
}

const AT_ONCE = ['list endpointslices', 'get services web', 'list pods', 'get nodes node-1']

describe('the sync of a Service that is newer than its slices', () => {
  it('reads all in one round', async () => {
    const { reads, slices } = await changed()
    expect((await reads()).slice(0, AT_ONCE.length).toSorted()).toEqual(AT_ONCE.toSorted())
    expect(slices().map(({ metadata }) => metadata?.labels?.tier)).toEqual(['front'])
  })

  it('reads Service and Pods again, after slices that were written meanwhile', async () => {
    const { cluster, reads, slices } = await changed()
    const begin = cluster.before
    cluster.before = (call, object) => {
      if (call === 'list endpointslices') {
        cluster.before = begin
        const [slice] = slices()
        // Written by somebody who has read what the reads that were begun may not show.
        if (slice) cluster.put(ENDPOINT_SLICES, slice)
      }
      begin(call, object)
    }
    const calls = await reads()
    expect(calls.slice(AT_ONCE.length, AT_ONCE.length + 1)).toEqual(['get services web'])
  })

  it('reads Pods in order that the Service takes by another selector than the relay saw', async () => {
    const { reads, slices } = await changed()
    const calls = await reads({ ...AHEAD, selector: 'app in (other)' })
    expect(calls.filter((call) => call === 'list pods')).toHaveLength(2)
    expect(slices()[0]?.endpoints).toHaveLength(2)
  })

  it.each(['get services web', 'list pods', 'get nodes node-1'])(
    'survives that “%s” fails once',
    async (failing) => {
      const { cluster, reads, slices } = await changed()
      cluster.put<Pod>(PODS, webPod(2, false))
      const begin = cluster.before
      cluster.before = (call, object) => {
        if (call === failing) {
          cluster.before = begin
          throw new KubernetesError('the server is busy')
        }
        begin(call, object)
      }
      expect((await reads()).filter((call) => call === failing).length).toBeGreaterThan(0)
      const ready = slices().flatMap(({ endpoints }) => endpoints?.map(({ conditions }) => conditions?.ready))
      expect(ready.toSorted()).toEqual([false, true])
    },
  )
})
