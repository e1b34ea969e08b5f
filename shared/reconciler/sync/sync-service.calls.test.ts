import { describe, expect, it } from 'vitest'
import { PODS, SERVICES } from '../../kubernetes/index.ts'
import { createLogger, SILENT_LOG } from '../../telemetry/index.ts'
import {
  createMemoryCluster,
  KEY,
  type MemoryCluster,
  type Settings,
  startProcess,
  webPod,
} from '../memory-cluster.fixtures.ts'
import { createReconciler } from '../reconcile-service.ts'
import { failed, hintFor, SETTINGS } from './sync-hinted-pods.fixtures.ts'
import { annotated, CUSTOM, OF_GREEN, withNode } from './sync-service.fixtures.ts'

/** Returns a client that notes its calls and the signal of each. */
function watched({ client }: MemoryCluster) {
  const calls: (readonly [call: string, signal: AbortSignal | undefined])[] = []
  const tell = (call: string, { signal }: { signal?: AbortSignal | undefined } = {}): void =>
    void calls.push([call, signal])
  const watching: MemoryCluster['client'] = {
    ...client,
    get(resource, ref, options) {
      tell(`get ${resource.plural}`, options)
      return client.get(resource, ref, options)
    },
    list(resource, options) {
      tell(`list ${resource.plural}`, options)
      return client.list(resource, options)
    },
    create(resource, object, options) {
      tell(`create ${resource.plural}`, options)
      return client.create(resource, object, options)
    },
    update(resource, object, options) {
      tell(`update ${resource.plural}`, options)
      return client.update(resource, object, options)
    },
    delete(resource, ref, options) {
      tell(`delete ${resource.plural}`, options)
      return client.delete(resource, ref, options)
    },
  }
  return { client: watching, calls }
}

describe('the calls for one key end with its time', () => {
  it.each<[string, (cluster: MemoryCluster) => Partial<typeof KEY>, readonly string[], Settings?]>([
    [
      'at a whole Service',
      () => ({}),
      ['list endpointslices', 'get services', 'list pods', 'get nodes', 'update endpointslices', 'get pods'],
    ],
    [
      'where a hint says',
      (cluster) => ({ hint: hintFor(cluster, 'web-1'), relayVerifies: true }),
      ['get endpointslices', 'get services', 'get pods', 'get nodes', 'update endpointslices'],
    ],
    [
      'at a Service that is gone',
      (cluster) => {
        cluster.remove(SERVICES, 'web')
        return {}
      },
      ['list endpointslices', 'get services', 'delete endpointslices'],
    ],
    [
      'at one that cannot be understood',
      (cluster) => {
        cluster.put(SERVICES, annotated({ 'sliceflow.dev/selecter': 'app=web' }))
        return {}
      },
      ['list endpointslices', 'get services', 'create events'],
      CUSTOM,
    ],
  ])('%s', async (_, prepare, expected, settings = SETTINGS) => {
    const cluster = await failed()
    const message = prepare(cluster)
    const { client, calls } = watched(cluster)
    const { signal } = new AbortController()
    const reconcile = createReconciler({ clientOf: () => client, settings, logger: SILENT_LOG })
    await reconcile({ ...KEY, ...message, messageIds: [] }, { signal, sentTimestamp: 0, receiveCount: 1 })
    expect(calls.map(([call]) => call)).toEqual(expect.arrayContaining([...expected]))
    expect(calls.filter(([, given]) => given !== signal)).toEqual([])
  })
})

describe('objects that are left out', () => {
  const LEFT_OUT = 'skipped objects'

  async function linesOf(cluster: MemoryCluster, message: Partial<typeof KEY>, settings = SETTINGS) {
    const lines: string[] = []
    const logger = createLogger({ write: (line) => void lines.push(JSON.parse(line).msg) })
    const { handle, outcomes } = startProcess(cluster, { settings, logger })
    await handle(message)
    return { reported: lines.filter((line) => line === LEFT_OUT).length, outcomes }
  }

  it('are reported by a full sync, and by a hinted one', async () => {
    const cluster = await failed()
    const { metadata } = webPod(1)
    cluster.put(PODS, {
      ...webPod(1),
      status: { phase: 'Running', podIP: 'odd', podIPs: [{ ip: 'odd' }] },
      metadata,
    })
    const hint = hintFor(cluster, 'web-1')
    expect((await linesOf(cluster, { hint })).reported).toBe(1)
    expect((await linesOf(cluster, {})).reported).toBe(1)
  })

  it('are reported once where a second sync only sees whether the first was right', async () => {
    const cluster = createMemoryCluster()
    const green = withNode()
    cluster.put(SERVICES, OF_GREEN)
    green.put(PODS, webPod(1))
    green.put(PODS, { ...webPod(2), status: { phase: 'Running', podIP: 'odd', podIPs: [{ ip: 'odd' }] } })
    const lines: string[] = []
    const attempts: number[] = []
    const reconcile = createReconciler({
      clientOf: (name) => (name === 'green' ? green : cluster).client,
      settings: CUSTOM,
      logger: createLogger({ write: (line) => void lines.push(JSON.parse(line).msg) }),
      onReconciled: (outcome) => attempts.push(outcome.attempts),
    })
    const { signal } = new AbortController()
    await reconcile({ ...KEY, messageIds: [] }, { signal, sentTimestamp: 0, receiveCount: 1 })
    expect(attempts).toEqual([2])
    expect(lines.filter((line) => line === LEFT_OUT)).toHaveLength(1)
  })
})
