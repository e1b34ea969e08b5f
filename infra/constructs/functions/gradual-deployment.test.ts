import { describe, expect, it } from 'vitest'
import { createFunctionMetrics } from '../../../functions/reconcile/metrics.ts'
import { createEmfMetrics, DEPLOYMENT_DIMENSION } from '../../../shared/telemetry/index.ts'
import { ringing } from '../alarms/alarm-states.fixtures.ts'
import { type AlarmProperties, metricsRead } from '../alarms/alarms.fixtures.ts'
import { createRecordedMetrics, MINUTE } from '../alarms/recorded-metrics.fixtures.ts'
import { emptyBundles, resourcesOf, templateOf } from '../template.fixtures.ts'

const CLUSTERS = Array.from({ length: 40 }, (_, index) => `eu-${index}`)

type Version = 'old' | 'new'

interface Rollout {
  readonly seed: number
  readonly callsPerMinute: number
  /** Share of the calls that the new version gets, of each minute. */
  readonly shares: readonly number[]
  readonly isBroken: (version: Version, cluster: string) => boolean
}

const CANARY = Array.from({ length: 6 }, () => 0.1)
const LINEAR = Array.from({ length: 10 }, (_, minute) => (minute + 1) / 10)

/** Random numbers of a seed, the same in each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('a gradual deployment', () => {
  const settings = { gradualDeployment: 'Canary10Percent5Minutes' } as const
  const template = templateOf({ bundles: emptyBundles(), settings })
  const [[, group] = []] = resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup')
  const { Alarms = [] } = (group?.Properties.AlarmConfiguration ?? {}) as {
    readonly Alarms?: readonly { readonly Name: { readonly Ref: string } }[]
  }
  const all = Object.fromEntries(resourcesOf(template, 'AWS::CloudWatch::Alarm'))
  const alarms = Alarms.map(({ Name }) => all[Name.Ref]?.Properties as unknown as AlarmProperties)
  const [, failures] = alarms
  const newVersion = metricsRead(failures as AlarmProperties).flatMap(
    ({ dimensions }) => dimensions.Version ?? [],
  )

  /**
   * Plays a rollout, with the metrics that the functions write: the keys of a cluster that is broken come
   * again and again, in batches. @returns the minute of the rollback; none where it went through
   */
  function minuteOfRollback({ seed, callsPerMinute, shares, isBroken }: Rollout): number | undefined {
    const random = randomOf(seed)
    const recorded = createRecordedMetrics()
    let minute = 0
    const metricsOf = (version: string) =>
      createFunctionMetrics(
        createEmfMetrics({
          dimensions: { [DEPLOYMENT_DIMENSION]: 'Test/Sliceflow' },
          write: recorded.write,
          now: () => minute * MINUTE,
        }),
        version,
      )
    const versions = { old: metricsOf('7'), new: metricsOf(newVersion[0] ?? '') }
    const call = (share: number, keys: readonly string[]): void => {
      const version = random() < share ? 'new' : 'old'
      for (const cluster of keys)
        if (isBroken(version, cluster)) versions[version].failed(cluster, new Error('no'))
        else {
          const key = { cluster, namespace: 'shop', service: 'web' }
          versions[version].reconciled({ key, created: 0, updated: 0, deleted: 0, attempts: 1 })
        }
      versions[version].flush()
    }
    const play = (share: number): void => {
      for (let count = 0; count < callsPerMinute; count++)
        call(
          share,
          Array.from(
            { length: 1 + Math.floor(random() * 3) },
            () => CLUSTERS[Math.floor(random() * 40)] ?? '',
          ),
        )
      for (const broken of CLUSTERS.filter((cluster) => isBroken('old', cluster)))
        for (let retry = 0; retry < callsPerMinute / 10; retry++)
          call(
            share,
            Array.from({ length: 10 }, () => broken),
          )
    }
    const isRinging = (): boolean => alarms.some((alarm) => ringing(alarm, recorded, minute).length > 0)
    for (; minute < 5; minute++) {
      play(0)
      if (isRinging()) return 0
    }
    for (const [index, share] of shares.entries()) {
      play(share)
      if (isRinging()) return index + 1
      minute++
    }
    return undefined
  }

  const SEEDS = [0, 1]
  const outcomes = (rollout: Omit<Rollout, 'seed'>) =>
    new Set(SEEDS.map((seed) => minuteOfRollback({ ...rollout, seed })))
  const LOADS = [
    ['a quiet fleet, at once', 30, CANARY],
    ['a busy fleet, at once', 120, CANARY],
    ['a quiet fleet, by steps', 30, LINEAR],
    ['a busy fleet, by steps', 120, LINEAR],
  ] as const

  it('is taken back by two alarms of the new version, neither of which rings before it is called', () => {
    expect(alarms).toHaveLength(2)
    expect(new Set(newVersion)).toHaveLength(1)
  })

  it.each(LOADS)('goes through while one cluster of forty is broken, in %s', (_, callsPerMinute, shares) => {
    const isBroken = (_version: Version, cluster: string) => cluster === 'eu-7'
    expect(outcomes({ callsPerMinute, shares, isBroken })).toEqual(new Set([undefined]))
  })

  it.each(LOADS)('brings the fix of a cluster that is broken, in %s', (_, callsPerMinute, shares) => {
    const isBroken = (version: Version, cluster: string) => version === 'old' && cluster === 'eu-7'
    expect(outcomes({ callsPerMinute, shares, isBroken })).toEqual(new Set([undefined]))
  })

  it.each(LOADS)(
    'is taken back within minutes where the new version fails everywhere, one cluster broken or none, in %s',
    (_, callsPerMinute, shares) => {
      for (const broken of ['eu-7', 'none']) {
        const isBroken = (version: Version, cluster: string) => version === 'new' || cluster === broken
        const minutes = [...outcomes({ callsPerMinute, shares, isBroken })]
        expect(minutes.every((minute) => minute !== undefined && minute > 0 && minute <= 5)).toBe(true)
      }
    },
  )

  it('is taken back where the new version breaks a quarter of a busy fleet', () => {
    const isBroken = (version: Version, cluster: string) =>
      cluster === 'eu-7' || (version === 'new' && /^eu-\d$/.test(cluster))
    const minutes = [...outcomes({ callsPerMinute: 120, shares: CANARY, isBroken })]
    expect(minutes).not.toContain(undefined)
    expect(minutes).not.toContain(0)
  })

  it('is taken back by chance in fewer than one window of 3,000, whatever number of failures is usual', () => {
    const { Threshold = 0 } = failures ?? {}
    /** Probability of this many random events or more, where so many are expected. */
    const atLeast = (count: number, expected: number): number => {
      let [term, below] = [Math.exp(-expected), 0]
      for (let events = 0; events < count; events++) {
        below += term
        term *= expected / (events + 1)
      }
      return 1 - below
    }
    const usual = Array.from({ length: 400 }, (_, index) => (index + 1) / 8)
    const worst = Math.max(
      ...usual.map((expected) => atLeast(Math.ceil(1.5 * expected + Threshold), expected)),
    )
    expect(worst).toBeLessThan(1 / 3000)
  })
})
