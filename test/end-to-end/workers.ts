import { describe, expect, it } from 'vitest'
import {
  type ApiClient,
  type ApiObject,
  createApiClient,
  ENDPOINT_SLICES,
  type Resource,
} from '../../shared/kubernetes/index.ts'
import { createReconciler } from '../../shared/reconciler/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { type OpenCluster, openWeb, type Scene } from './scene.ts'

/** A worker that has read and planned, and does not write before it may. */
interface SlowWorker {
  /** It waits with its first write. */
  readonly planned: Promise<void>
  /** Resolves when it is done with the Service. */
  goOn(): Promise<void>
}

function startSlowWorker(cluster: OpenCluster, scene: Scene, service: string): SlowWorker {
  const client = createApiClient(cluster().connection)
  const planned = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = async (resource: Resource): Promise<void> => {
    if (resource.plural !== ENDPOINT_SLICES.plural) return
    planned.resolve()
    await released.promise
  }
  const slow: ApiClient = {
    ...client,
    async create<T extends ApiObject>(resource: Resource<T>, object: T, options?: object) {
      await hold(resource)
      return client.create(resource, object, options)
    },
    async update<T extends ApiObject>(resource: Resource<T>, object: T, options?: object) {
      await hold(resource)
      return client.update(resource, object, options)
    },
  }
  const reconcile = createReconciler({
    clientOf: () => slow,
    settings: scene.settings,
    logger: SILENT_LOG,
  })
  const key = { cluster: scene.cluster, namespace: scene.namespace, service, messageIds: [] }
  const { signal } = new AbortController()
  const done = reconcile(key, { signal, receiveCount: 1, sentTimestamp: Date.now() })
  return {
    planned: planned.promise,
    async goOn() {
      released.resolve()
      await done.finally(() => client.close())
    },
  }
}

export function describeWorkers(cluster: OpenCluster): void {
  describe('two workers', () => {
    it('never let an older view win: the slower one creates and updates slices', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'custom', maxEndpointsPerSlice: 2 })
      const sliceflow = await scene.startRight()
      await sliceflow.stop()
      await scene.addPods(['web-4', 'web-5'])
      await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, false)
      const slow = startSlowWorker(cluster, scene, 'web')
      await slow.planned

      await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, true)
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
      const quick = await scene.startRight()
      await quick.stop()
      await slow.goOn()

      expect(await scene.differences()).toEqual([])
    })
  })
}
