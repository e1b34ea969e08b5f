import { describe, expect, it } from 'vitest'
import {
  type ApiClient,
  type ApiObject,
  createApiClient,
  type ListOptions,
  PODS,
  type Resource,
} from '../../shared/kubernetes/index.ts'
import { createReconciler } from '../../shared/reconciler/index.ts'
import { type OpenCluster, openScene, type Scene } from './scene.ts'
import { silentLog } from './silent-log.ts'

/** Request for pods: with a minimum resource version, or for the newest. */
type PodRead = `not older than ${string}` | 'newest' | 'newest metadata' | `metadata of ${string}`

/** Returns a client that notes how it lists pods. */
function tellPodReads(client: ApiClient, reads: PodRead[]): ApiClient {
  return {
    ...client,
    async list<T extends ApiObject>(resource: Resource<T>, options?: ListOptions) {
      const { notOlderThan, metadataOnly } = options ?? {}
      if (resource.plural === PODS.plural)
        reads.push(
          notOlderThan === undefined
            ? `newest${metadataOnly === true ? ' metadata' : ''}`
            : `not older than ${notOlderThan}`,
        )
      return client.list(resource, options)
    },
    async get(resource, ref, options) {
      if (resource.plural === PODS.plural && options?.metadataOnly) reads.push(`metadata of ${ref.name}`)
      return client.get(resource, ref, options)
    },
  }
}

/** Handles one message of this version and tells how pods were read for it. */
async function reconcileAt(
  cluster: OpenCluster,
  { settings, namespace, ...scene }: Scene,
  resourceVersion: string,
): Promise<PodRead[]> {
  const reads: PodRead[] = []
  const client = createApiClient(cluster().connection)
  const reconcile = createReconciler({
    clientOf: () => tellPodReads(client, reads),
    settings,
    logger: silentLog,
  })
  const key = { cluster: scene.cluster, namespace, service: 'web', resourceVersion, messageIds: [] }
  const { signal } = new AbortController()
  await reconcile(key, { signal, receiveCount: 1, sentTimestamp: Date.now() }).finally(() => client.close())
  return reads
}

const versionOf = async (cluster: OpenCluster, { namespace }: Scene): Promise<string> =>
  (await cluster().client.get(PODS, { namespace, name: 'web-1' })).metadata?.resourceVersion ?? ''

export function describeMinimumVersions(cluster: OpenCluster): void {
  describe('a message with the version of a pod', () => {
    it('has pods read that are not older than that, and those that were written of at their newest', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addService('web')
      await scene.addPods(['web-1'])
      const version = await versionOf(cluster, scene)
      expect(await reconcileAt(cluster, scene, version)).toEqual([
        `not older than ${version}`,
        'metadata of web-1',
      ])
      expect(await scene.differences()).toEqual([])

      await scene.pods.setReady({ namespace: scene.namespace, name: 'web-1' }, false)
      const next = await versionOf(cluster, scene)
      expect(await reconcileAt(cluster, scene, next)).toEqual([`not older than ${next}`, 'metadata of web-1'])
      expect(await scene.differences()).toEqual([])
    })

    it('has the newest pods read when slices were written since', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addService('web')
      await scene.addPods(['web-1'])
      const version = await versionOf(cluster, scene)
      await reconcileAt(cluster, scene, version)
      expect(await reconcileAt(cluster, scene, version)).toEqual(['newest'])
    })

    it('has the newest pods read when the cluster does not know the version, as after a restore', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addService('web')
      await scene.addPods(['web-1'])
      const version = String(BigInt(await versionOf(cluster, scene)) + 1_000_000n)
      expect(await reconcileAt(cluster, scene, version)).toEqual([
        `not older than ${version}`,
        'newest',
        'metadata of web-1',
      ])
      expect(await scene.differences()).toEqual([])
    })
  })
}
