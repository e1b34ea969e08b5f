import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createCanaryMetrics } from '../../../functions/canary/index.ts'
import { createFunctionMetrics } from '../../../functions/reconcile/metrics.ts'
import { NAMED_FROM } from '../../../functions/relay/metric-names.ts'
import {
  createEmfMetrics,
  createRegistryEmf,
  createRelayMetrics,
  DEPLOYMENT_DIMENSION,
} from '../../../shared/telemetry/index.ts'
import { emptyBundles, templateOf } from '../template.fixtures.ts'
import { type Notification, ringing } from './alarm-states.fixtures.ts'
import { type AlarmProperties, alarmsOf } from './alarms.fixtures.ts'
import { createRecordedMetrics, MINUTE } from './recorded-metrics.fixtures.ts'

const BROKEN = 'eu-7'
const MINUTES = 30

describe('alarms by cluster', () => {
  const alarms = alarmsOf(templateOf({ bundles: emptyBundles(), canary: true }))

  /**
   * Plays a relay, functions and a canary of this number of clusters, one of which is broken from the tenth
   * minute to the 25th. @returns what each alarm notifies of in each minute
   */
  async function notifications(clusters: number): Promise<(minute: number, alarm: string) => Notification[]> {
    const recorded = createRecordedMetrics()
    let minute = 0
    const emf = createEmfMetrics({
      dimensions: { [DEPLOYMENT_DIMENSION]: 'Test/Sliceflow' },
      write: recorded.write,
      now: () => minute * MINUTE,
    })
    const isBroken = (cluster: string) => cluster === BROKEN && minute >= 10 && minute < 25
    const names = Array.from({ length: clusters }, (_, index) => `eu-${index}`)
    const registry = new Registry()
    const relay = createRelayMetrics(registry)
    relay.readFrom(() =>
      names.map((cluster) => {
        const seconds = isBroken(cluster) ? (minute - 9) * 60 : 30
        const at = { secondsSinceLastByte: seconds, secondsSinceLastBookmark: seconds }
        const watches = [{ kind: 'pods', failing: isBroken(cluster), objects: 1, ...at }]
        return { cluster, synced: true, watches, lanes: [{ lane: 'live', pending: 0, oldestSeconds: 0 }] }
      }),
    )
    const registryEmf = createRegistryEmf({ registry, metrics: emf, named: NAMED_FROM })
    const functions = createFunctionMetrics(emf)
    const canary = createCanaryMetrics(emf)
    for (; minute < MINUTES; minute++) {
      for (const cluster of names)
        if (isBroken(cluster)) {
          canary.failed(cluster)
          for (let key = 0; key < 5; key++) functions.failed(cluster, new Error('no'))
          relay.count('keys_rejected', { cluster, lane: 'live' })
        } else canary.published(cluster, 0.5)
      await registryEmf.write()
      emf.flush()
    }
    return (at, alarm) => ringing(alarms[alarm] as AlarmProperties, recorded, at)
  }

  it.each([8, 100])(
    'name one of %i clusters that is broken, alone, until it is right again',
    async (clusters) => {
      const notified = await notifications(clusters)
      const from = {
        ClusterUnreachable: 14,
        FailedKeys: 21,
        WatchSilent: 14,
        KeysRejected: 10,
        CanaryFailed: 12,
      }
      for (const [alarm, minute] of Object.entries(from)) {
        const id = `${alarm}ByCluster`
        expect([id, notified(minute - 1, id)]).toEqual([id, []])
        expect([id, notified(minute, id)]).toEqual([
          id,
          [
            {
              AlarmDescription: expect.stringContaining('AlarmContributorAttributes names the cluster'),
              AlarmContributorAttributes: { Cluster: BROKEN },
            },
          ],
        ])
        // The one of all clusters rings in the same minute.
        expect([id, notified(minute, alarm).length]).toEqual([id, 1])
        expect([id, notified(MINUTES - 1, id)]).toEqual([id, []])
      }
      expect(notified(20, 'CanaryLateByCluster')).toEqual([])
    },
  )
})
