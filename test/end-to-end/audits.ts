import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiClient } from '../../shared/kubernetes/index.ts'
import { createReconciler, type ReconcileOutcome } from '../../shared/reconciler/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { type OpenCluster, openWeb, type Scene } from './scene.ts'

interface Audited {
  readonly scene: Scene
  /** Handles a message of the audit. @param meanwhile happens while it waits for other processes */
  audit(options?: { meanwhile?: () => Promise<unknown> }): Promise<ReconcileOutcome>
  /** Handles a message of the relay in another process. */
  relayed(): Promise<void>
  /** Returns how often the audit has paused. */
  readonly pauses: () => number
}

/** Opens a scene whose Service `web` has slices that are right, without a relay. */
async function openAudited(cluster: OpenCluster): Promise<Audited> {
  const scene = await openWeb(cluster(), 3, { mode: 'custom' })
  const client = createApiClient(cluster().connection)
  onTestFinished(() => client.close())
  const { settings, namespace } = scene
  const key = { cluster: scene.cluster, namespace, service: 'web', messageIds: [] }
  const { signal } = new AbortController()
  const context = { signal, receiveCount: 1, sentTimestamp: Date.now() - 60_000 }
  const outcomes: ReconcileOutcome[] = []
  let pauses = 0
  let meanwhile = async (): Promise<unknown> => undefined
  const auditing = createReconciler({
    clientOf: () => client,
    settings,
    logger: SILENT_LOG,
    onReconciled: (outcome) => void outcomes.push(outcome),
    clock: {
      now: Date.now,
      async pause() {
        pauses++
        await meanwhile()
      },
    },
  })
  const relayed = (): Promise<void> =>
    createReconciler({ clientOf: () => client, settings, logger: SILENT_LOG })(key, context)
  await relayed()
  await scene.untilRight()
  return {
    scene,
    relayed,
    pauses: () => pauses,
    async audit({ meanwhile: act } = {}) {
      meanwhile = act ?? meanwhile
      await auditing({ ...key, audit: true }, context)
      const outcome = outcomes.pop()
      if (outcome === undefined) throw new Error('there was no audit')
      return outcome
    },
  }
}

const written = ({ created, updated, deleted }: ReconcileOutcome): number => created + updated + deleted

export function describeAudits(cluster: OpenCluster): void {
  describe('an audit', () => {
    it('mends what no other process is at, and counts it', async () => {
      const { scene, audit } = await openAudited(cluster)
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
      expect(await audit()).toMatchObject({ updated: 1, isFinding: true })
      expect(await scene.differences()).toEqual([])
    })

    it('mends the slices of a Service that is gone, and counts it', async () => {
      const { scene, audit } = await openAudited(cluster)
      await scene.removeService('web')
      expect(await audit()).toMatchObject({ deleted: 1, isFinding: true })
      expect(await scene.slices('web')).toEqual([])
    })

    it('leaves a change to the relay’s key that is under way', async () => {
      const { scene, audit, relayed, pauses } = await openAudited(cluster)
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
      const outcome = await audit({ meanwhile: relayed })
      expect(pauses()).toBe(1)
      expect(written(outcome)).toBe(0)
      expect(outcome).not.toHaveProperty('isFinding')
      expect(await scene.differences()).toEqual([])
    })

    it('is made though the Service was synced since the message was sent', async () => {
      const { scene, audit } = await openAudited(cluster)
      await audit()
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-2' })
      expect(await audit()).toMatchObject({ isFinding: true })
    })
  })
}
