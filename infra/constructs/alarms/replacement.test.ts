import { describe, expect, it } from 'vitest'
import { CANARY_METRICS } from '../../../functions/canary/index.ts'
import { RELAY_UP } from '../../../functions/relay/metric-names.ts'
import { DEPLOYMENT_DIMENSION, EMF_NAMESPACE } from '../../../shared/telemetry/index.ts'
import { emptyBundles, templateOf } from '../template.fixtures.ts'
import { ringing } from './alarm-states.fixtures.ts'
import { type AlarmProperties, alarmsOf, metricsRead } from './alarms.fixtures.ts'
import { createRecordedMetrics, type RecordedMetrics } from './recorded-metrics.fixtures.ts'

const MINUTES = 240

/** What there is of a relay in a minute. */
interface Minute {
  /** Relays that write their metrics. */
  readonly running: number
  /** Relays that have ended by themselves, or could not start. */
  readonly ends: number
  /** Delays that the canary writes; default: one while a relay runs. */
  readonly measured?: number
}

describe('the alarms while a relay is replaced', () => {
  const alarms = alarmsOf(templateOf({ bundles: emptyBundles(), keepState: true, canary: true }))

  const up = {
    namespace: EMF_NAMESPACE,
    name: RELAY_UP,
    dimensions: { [DEPLOYMENT_DIMENSION]: 'Test/Sliceflow' },
  }
  const [ended = up] = metricsRead(alarms.RelayRestarts as AlarmProperties)
  const [called = up] = metricsRead(alarms.AuditMissed as AlarmProperties)
  const canary = { ...up, name: CANARY_METRICS.delay }

  /** Records what relay and canary write, what a rule counts of a relay, and the calls of the audit. */
  function recordedOf(at: (minute: number) => Minute, since = -120): RecordedMetrics {
    const recorded = createRecordedMetrics()
    for (let minute = since; minute < MINUTES; minute++) {
      const { running, ends, measured = running } = minute < 0 ? { running: 1, ends: 0 } : at(minute)
      for (const [metric, values] of [
        [up, running],
        [ended, ends],
        [canary, measured],
      ] as const)
        for (let value = 0; value < values; value++) recorded.add(metric, minute, 1)
      if (minute % 10 === 0) recorded.add(called, minute, 1)
    }
    return recorded
  }

  /** Returns each alarm that rings, with the first minute in which it does. */
  function firstRinging(at: (minute: number) => Minute, since?: number): Record<string, number> {
    const recorded = recordedOf(at, since)
    const minutes = Array.from({ length: MINUTES }, (_, minute) => minute)
    return Object.fromEntries(
      Object.entries(alarms).flatMap(([id, alarm]) => {
        const first = minutes.find((minute) => ringing(alarm, recorded, minute).length > 0)
        return first === undefined ? [] : [[id, first]]
      }),
    )
  }

  it('are quiet where the next one is healthy: for two minutes there are two', () => {
    expect(firstRinging((minute) => ({ running: minute === 3 || minute === 4 ? 2 : 1, ends: 0 }))).toEqual({})
  })

  it('are quiet in the first hours of a deployment, before which there was nothing', () => {
    expect(firstRinging(() => ({ running: 1, ends: 0 }), 0)).toEqual({})
  })

  it('report a canary that falls silent while a relay runs', () => {
    const at = (minute: number) => ({ running: 1, ends: 0, measured: Number(minute < 30) })
    expect(firstRinging(at)).toEqual({ CanaryLate: 32 })
  })

  it('report a bad image, and no relay that is down, as the last one goes on', () => {
    const failed = (minute: number) => Number([2, 4, 6].includes(minute))
    expect(firstRinging((minute) => ({ running: 1, ends: failed(minute) }))).toEqual({ RelayRestarts: 6 })
  })

  it.each([2, 20])(
    'report one that crashes %i minutes after each start, though it was healthy',
    (minutes) => {
      // Every start takes a minute, in which it writes no metrics.
      const hasEnded = (minute: number) => minute > 0 && minute % (minutes + 1) === 0
      const at = (minute: number) => ({ running: hasEnded(minute) ? 0 : 1, ends: Number(hasEnded(minute)) })
      expect(firstRinging(at)).toEqual({ RelayRestarts: 3 * (minutes + 1) })
    },
  )

  it('are quiet about one that ends by chance, once in an hour', () => {
    const hasEnded = (minute: number) => minute % 60 === 7
    expect(
      firstRinging((minute) => ({ running: hasEnded(minute) ? 0 : 1, ends: Number(hasEnded(minute)) })),
    ).toEqual({})
  })

  it('report within five minutes that none runs', () => {
    expect(firstRinging((minute) => ({ running: Number(minute < 30), ends: Number(minute === 30) }))).toEqual(
      { RelayDown: 34 },
    )
  })
})
