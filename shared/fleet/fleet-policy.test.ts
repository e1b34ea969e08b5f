import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { ConnectionError, ENDPOINT_SLICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import type { SettingsInput } from '../settings/index.ts'
import { createLogger } from '../telemetry/index.ts'
import { LABEL_SOURCE_CLUSTER, mergeExports } from './index.ts'
import { anExport, conflictOf, wantedConditionOf } from './merging/merge-exports.fixtures.ts'
import {
  addressesIn,
  conditionsOf,
  EXPORTS,
  type Fleet,
  IMPORTS,
  openFleet,
  sourceSlice,
} from './reconcile-fleet.fixtures.ts'

const POLICY = 'sliceflow.dev/fleet-policy'
const OWN = '{"prefer":"own"}'

const withPolicy = (cluster: string, minute: number, policy: string) =>
  anExport(cluster, { minute, annotations: { [POLICY]: policy } })

/** Annotates the export; of those of eu and us, which are equally old, that of eu counts. */
function setPolicy(cluster: MemoryCluster, annotations: Record<string, string>): void {
  const metadata = { name: 'web', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z', annotations }
  cluster.put(EXPORTS, { ...cluster.all(EXPORTS)[0], metadata })
}

/** Publishes endpoints of which the first ones are ready, in the cluster's own slice. */
function publish(cluster: MemoryCluster, subnet: number, [ready, all]: readonly [number, number]): void {
  const slice = sourceSlice(...Array.from({ length: all }, (_, at) => `10.${subnet}.0.${at + 1}`))
  cluster.put<EndpointSlice>(ENDPOINT_SLICES, {
    ...slice,
    endpoints: (slice.endpoints ?? []).map((each, at) => ({ ...each, conditions: { ready: at < ready } })),
  })
}

interface PolicyFleet extends Fleet {
  readonly log: readonly Readonly<Record<string, unknown>>[]
  /** Handles a message that names all versions, and tells the writes. */
  sync(): Promise<string[]>
}

/** Opens two clusters with four ready endpoints each, of which eu has the export that counts. */
function openPolicyFleet(policy = OWN, settings: SettingsInput = {}): PolicyFleet {
  const log: Record<string, unknown>[] = []
  const logger = createLogger({ write: (line) => void log.push(JSON.parse(line)) })
  const fleet = openFleet({}, {}, { settings, logger })
  publish(fleet.clusters.eu, 1, [4, 4])
  publish(fleet.clusters.us, 2, [4, 4])
  setPolicy(fleet.clusters.us, {})
  setPolicy(fleet.clusters.eu, { [POLICY]: policy })
  return {
    ...fleet,
    log,
    sync: async () => (await fleet.handle(fleet.versions())).filter((call) => !/: (get|list) /.test(call)),
  }
}

const EU = ['10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4']
const US = ['10.2.0.1', '10.2.0.2', '10.2.0.3', '10.2.0.4']

describe('exports with a policy', () => {
  it('give the import that of the oldest, which the others may say as well, or nothing', () => {
    const exports = [
      withPolicy('us', 1, ' {"prefer": "own", "failoverBelow": 50}'),
      withPolicy('eu', 0, OWN),
      anExport('ap', { minute: 2 }),
    ]
    expect(mergeExports(exports).merged?.policy).toEqual({
      own: { failoverBelow: 50, returnAt: 75 },
      weights: new Map(),
    })
    expect(conflictOf(exports)).toMatchObject({ status: 'False' })
  })

  it.each([
    [
      'another one',
      OWN,
      'sliceflow.dev/fleet-policy: {"prefer":"own","failoverBelow":50,"returnAt":75} of eu, the oldest export; 1 of 2 clusters differs (us).',
    ],
    [
      'one where the oldest has none',
      undefined,
      'sliceflow.dev/fleet-policy: unset, that of eu, the oldest export; 1 of 2 clusters differs (us).',
    ],
  ])('are in conflict where a younger one has %s', (_, policy, message) => {
    const oldest = policy === undefined ? anExport('eu') : withPolicy('eu', 0, policy)
    const exports = [oldest, withPolicy('us', 1, '{"weights":{"us":100}}')]
    expect(mergeExports(exports).merged?.policy?.weights.size ?? 0).toBe(0)
    expect(conflictOf(exports)).toMatchObject({ status: 'True', reason: 'FleetPolicyConflict', message })
  })

  it.each([
    [
      POLICY,
      '{"prefer":"mine"}',
      'Left out: metadata.annotations[sliceflow.dev/fleet-policy], as prefer is not "own".',
    ],
    [
      'sliceflow.dev/fleet-polcy',
      OWN,
      'Left out: metadata.annotations[sliceflow.dev/fleet-polcy], which means nothing (did you mean sliceflow.dev/fleet-policy?).',
    ],
  ])('that cannot be used are reported on the export: %s: %s', (annotation, value, message) => {
    const merge = mergeExports([anExport('eu', { annotations: { [annotation]: value } })])
    expect(merge.merged).toMatchObject({ clusters: ['eu'] })
    expect(merge.merged?.policy).toBeUndefined()
    expect(wantedConditionOf(merge, 'eu', 'Valid')).toMatchObject({ status: 'True', message })
  })
})

it('a policy on the Service means nothing, and its export says so', () => {
  const sent = anExport('eu')
  const service = { ...sent.service, metadata: { ...sent.service?.metadata, annotations: { [POLICY]: OWN } } }
  const merge = mergeExports([{ ...sent, service }])
  expect(merge.merged?.policy).toBeUndefined()
  expect(wantedConditionOf(merge, 'eu', 'Valid')?.message).toBe(
    'Left out: metadata.annotations[sliceflow.dev/fleet-policy] of the Service, which is for the ServiceExport to say.',
  )
})

describe('an import whose policy prefers own endpoints', () => {
  it('has those of its own cluster, fails over, and is back, each where it happens', async () => {
    const { clusters, sync, log, restart } = openPolicyFleet()
    await sync()
    expect([addressesIn(clusters.eu), addressesIn(clusters.us)]).toEqual([EU, US])

    publish(clusters.us, 2, [1, 4])
    const writes = await sync()
    expect(addressesIn(clusters.us)).toEqual([...EU, ...US])
    expect(addressesIn(clusters.eu)).toEqual(EU)
    expect(writes.filter((call) => call.startsWith('eu:'))).toEqual([])
    expect(log).toContainEqual(
      expect.objectContaining({
        ...{ cluster: 'us', namespace: 'shop', service: 'web', ready: 1, known: 4 },
        msg: 'fails over to the endpoints of all clusters',
      }),
    )

    // Another process knows it by the slices.
    publish(clusters.us, 2, [2, 4])
    restart()
    await sync()
    expect(addressesIn(clusters.us)).toEqual([...EU, ...US])

    publish(clusters.us, 2, [3, 4])
    await sync()
    expect(addressesIn(clusters.us)).toEqual(US)
    expect(log.at(-1)).toMatchObject({ msg: 'publishes its own endpoints alone again', ready: 3 })

    publish(clusters.us, 2, [2, 4])
    restart()
    await sync()
    expect(addressesIn(clusters.us)).toEqual(US)
    expect(await sync()).toEqual([])
  })

  it('reads and writes only what changed when it fails over', async () => {
    const { clusters, handle, versions } = openPolicyFleet()
    await handle()
    publish(clusters.us, 2, [1, 4])
    const calls = await handle(versions())
    expect(calls.map((call) => call.replace(/derived-\S+/, 'derived'))).toEqual([
      'us: get endpointslices web-1',
      'us: update endpointslices derived',
      'us: update endpointslices derived',
    ])
  })

  it('has a ready endpoint before each write of a return', async () => {
    const { clusters, sync } = openPolicyFleet(OWN)
    const ready = (): string[] =>
      clusters.us
        .all<EndpointSlice>(ENDPOINT_SLICES)
        .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined)
        .flatMap(({ endpoints }) => (endpoints ?? []).filter(({ conditions }) => conditions?.ready))
        .flatMap(({ addresses }) => addresses)
        .sort()
    publish(clusters.us, 2, [0, 4])
    for (let syncs = 0; syncs < 4; syncs++) await sync()
    expect(ready()).toEqual(EU)
    publish(clusters.us, 2, [4, 4])
    const seen: number[] = []
    clusters.us.before = () => void seen.push(ready().length)
    for (let syncs = 0; syncs < 4; syncs++) await sync()
    expect(Math.min(...seen)).toBeGreaterThan(0)
    expect(ready()).toEqual(US)
  })

  it('says its policy with all of its values, as long as there is one', async () => {
    const { clusters, sync } = openPolicyFleet()
    await sync()
    const policies = () =>
      Object.values(clusters).map((cluster) => cluster.all(IMPORTS)[0]?.metadata?.annotations?.[POLICY])
    expect(policies()).toEqual(Array(2).fill('{"prefer":"own","failoverBelow":50,"returnAt":75}'))
    setPolicy(clusters.eu, {})
    await sync()
    expect(policies()).toEqual([undefined, undefined])
    for (const cluster of Object.values(clusters)) expect(addressesIn(cluster)).toEqual([...EU, ...US])
  })

  it('is not held as one that loses endpoints when those of the others go', async () => {
    const { clusters, sync } = openPolicyFleet(OWN, { maximumRemoval: 0.2, maximumRemovalCount: 1 })
    publish(clusters.us, 2, [0, 4])
    await sync()
    expect(addressesIn(clusters.us)).toEqual([...EU, ...US])
    publish(clusters.us, 2, [4, 4])
    await sync()
    expect(addressesIn(clusters.us)).toEqual(US)
    // One that loses them is held all the same.
    publish(clusters.us, 2, [1, 1])
    await sync()
    expect(addressesIn(clusters.us)).toEqual(US)
  })
})

describe('an import whose policy has weights', () => {
  it('keeps it while the cluster that says it cannot be reached', async () => {
    const { clusters, handle } = openPolicyFleet('{"weights":{"us":50}}')
    const ofUs = () => addressesIn(clusters.us).filter((address) => address.startsWith('10.2.'))
    await handle()
    expect(ofUs()).toHaveLength(2)
    clusters.eu.before = () => {
      throw new ConnectionError('eu does not answer', 'ECONNREFUSED')
    }
    publish(clusters.us, 2, [6, 6])
    await expect(handle()).rejects.toThrow('eu does not answer')
    expect(ofUs()).toHaveLength(3)
  })
})

describe('a policy that cannot be used', () => {
  it('leaves nothing out, is reported on the export and in the log once, and counts once it is mended', async () => {
    const { clusters, sync, log, restart } = openPolicyFleet('prefer own')
    await sync()
    for (const cluster of Object.values(clusters)) expect(addressesIn(cluster)).toEqual([...EU, ...US])
    const valid = conditionsOf(clusters.eu).find(({ type }) => type === 'Valid')
    expect(valid).toMatchObject({
      status: 'True',
      message: expect.stringContaining('[sliceflow.dev/fleet-policy], as it is no JSON object'),
    })
    const reported = () => log.filter(({ msg }) => msg === 'parts of a ServiceExport are left out')
    const fields = { level: 'warn', namespace: 'shop', service: 'web' }
    expect(reported()).toMatchObject([{ ...fields, cluster: 'eu', leftOut: expect.stringContaining(POLICY) }])
    restart()
    expect(await sync()).toEqual([])
    expect(reported()).toHaveLength(1)
    setPolicy(clusters.eu, { [POLICY]: OWN })
    await sync()
    expect([addressesIn(clusters.eu), addressesIn(clusters.us)]).toEqual([EU, US])
    expect(conditionsOf(clusters.eu).find(({ type }) => type === 'Valid')?.message).toBe(
      'It is exported as ClusterSetIP.',
    )
  })
})
