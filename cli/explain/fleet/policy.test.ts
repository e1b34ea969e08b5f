import { describe, expect, it } from 'vitest'
import type { FleetDryRunOptions } from '../../../shared/fleet/index.ts'
import { describeFleetService } from './describe-fleet.ts'
import { endpointAt, exportFrom, openFleet } from './fleet.fixtures.ts'
import { describeFleetPlan, planFleet } from './plan-fleet.ts'
import type { FleetReport } from './report.ts'

const statesOf = (subnet: number, ready: number, all: number) =>
  Array.from({ length: all }, (_, at) => endpointAt(`10.${subnet}.0.${at + 1}`, { ready: at < ready }))

/** Opens two clusters that export, of which eu says the policy. */
async function openPolicy(policy: string, own: readonly [number, number] = [4, 4]) {
  const fleet = openFleet()
  exportFrom(fleet.cluster('eu'), statesOf(1, ...own), {
    annotations: { 'sliceflow.dev/fleet-policy': policy },
  })
  exportFrom(fleet.cluster('us'), statesOf(2, 4, 4), { created: '2026-01-02T00:00:00Z' })
  return fleet
}

/** Writes such as `10.2.0.1 eu LeftOut: a reason`, of the endpoints that are not everywhere. */
const absentOf = ({ endpoints }: FleetReport): string[] =>
  endpoints.flatMap(({ addresses, arrivals }) =>
    arrivals.flatMap(({ cluster, outcome, reasons }) =>
      outcome === 'LeftOut' ? [`${addresses[0]} ${cluster}: ${reasons.join('; ')}`] : [],
    ),
  )

const planOf = async (options: FleetDryRunOptions): Promise<string> => {
  const { namespace: _, name: __, ...set } = options
  return describeFleetPlan(await planFleet({ ...set, only: { namespace: 'shop', name: 'web' } }))
}

describe('an explained Service whose import has a policy', () => {
  it('says of each endpoint that it is left out as the own ones suffice, and how many of these are ready', async () => {
    const fleet = await openPolicy('{"prefer":"own"}', [3, 4])
    await fleet.reconcile()
    const report = await fleet.explain()
    const inEu = "own cluster's 3 of 4 endpoints are ready, fails over below 50 %"
    const inUs = "own cluster's 4 of 4 endpoints are ready, fails over below 50 %"
    expect(absentOf(report)).toEqual([
      ...[1, 2, 3, 4].map((at) => `10.1.0.${at} us: ${inUs}`),
      ...[1, 2, 3, 4].map((at) => `10.2.0.${at} eu: ${inEu}`),
    ])
    expect(report.merged?.policy).toEqual({ prefer: 'own', failoverBelow: 50, returnAt: 75, weights: {} })
    const text = describeFleetService(report, 0)
    expect(text).toMatch(/Policy: +own endpoints are preferred, all clusters' below 50 %, back at 75 %\n/)
    expect(text).toContain('      prefers its own endpoints: 3 of 4 ready\n')
    expect(text).toContain(`      not in eu: ${inEu}\n`)
  })

  it('says that a cluster fails over, and so does the plan', async () => {
    const fleet = await openPolicy('{"prefer":"own"}')
    await fleet.reconcile()
    exportFrom(fleet.cluster('eu'), statesOf(1, 1, 4), {
      annotations: { 'sliceflow.dev/fleet-policy': '{"prefer":"own"}' },
    })
    const note = "fails over: 1 of 4 own endpoints ready, other clusters' are taken as well"
    const report = await fleet.explain()
    const pending = report.endpoints.filter(({ arrivals }) =>
      arrivals.some(({ cluster, outcome }) => cluster === 'eu' && outcome === 'Pending'),
    )
    expect(pending.map(({ cluster }) => cluster)).toEqual(Array(4).fill('us'))
    expect(describeFleetService(report, 0)).toContain(`      ${note}\n`)
    expect(await planOf(fleet.options)).toContain(`  eu  ${note}\n  eu  update EndpointSlice`)
  })

  it('says which share of a cluster is taken, and warns of a weight of no cluster', async () => {
    const fleet = await openPolicy('{"weights":{"us":50,"eu":0,"su":0}}')
    await fleet.reconcile()
    const report = await fleet.explain()
    const absent = absentOf(report)
    expect(absent.filter((one) => one.startsWith('10.1.'))).toEqual(
      [1, 2, 3, 4].flatMap((at) =>
        ['eu', 'us'].map((cluster) => `10.1.0.${at} ${cluster}: the weight of eu is 0`),
      ),
    )
    const ofUs = absent.filter((one) => one.startsWith('10.2.'))
    expect(ofUs).toHaveLength(4)
    for (const one of ofUs)
      expect(one).toContain('the weight of us is 50: 2 of its 4 ready endpoints are taken')
    expect(report.warnings).toEqual([
      'the policy has a weight of su, which is no cluster of the set; did you mean eu?',
    ])
    expect(describeFleetService(report, 0)).toMatch(/Policy: +shares of us 50 %, eu 0 %, su 0 %\n/)
  })

  it('says for which of its ports an endpoint is left out', async () => {
    const fleet = openFleet()
    const http = { name: 'http', port: 80, protocol: 'TCP' }
    const metrics = { name: 'metrics', port: 9090, protocol: 'TCP' }
    exportFrom(fleet.cluster('eu'), statesOf(1, 1, 1), {
      annotations: { 'sliceflow.dev/fleet-policy': '{"prefer":"own"}' },
    })
    exportFrom(fleet.cluster('us'), statesOf(2, 1, 1), {
      ...{ created: '2026-01-02T00:00:00Z', spec: { ports: [http, metrics] } },
      slice: { ports: [{ ...http, port: 8080 }, metrics] },
    })
    await fleet.reconcile()
    const { endpoints } = await fleet.explain()
    const arrival = endpoints
      .find(({ cluster }) => cluster === 'us')
      ?.arrivals.find(({ cluster }) => cluster === 'eu')
    expect(arrival).toMatchObject({
      outcome: 'Published',
      reasons: ["not for http: own cluster's 1 of 1 endpoints are ready, fails over below 50 %"],
    })
  })
})

describe('an explained Service whose export selects clusters', () => {
  it('says whose endpoints serve in each cluster, by which selector, and why others are there', async () => {
    const fleet = openFleet(undefined, {}, { eu: { region: 'eu' }, us: { region: 'us' } })
    const exportSpec = {
      clusterSelectors: [{ propertySelector: { matchProperties: { region: '@SameAsImporter@' } } }],
    }
    for (const [index, name] of ['eu', 'us'].entries())
      exportFrom(fleet.cluster(name), statesOf(index + 1, 1, 1), { exportSpec })
    await fleet.reconcile()
    const report = await fleet.explain()
    expect(report.imports.map(({ cluster, serving }) => [cluster, serving])).toEqual(
      ['eu', 'us'].map((name) => [name, [{ family: 'IPv4', port: 'http', selector: 0, clusters: [name] }]]),
    )
    const text = describeFleetService(report, 0)
    expect(text).toContain('      clusterSelectors[0] serves: eu\n')
    expect(text).toContain(
      'clusterSelectors[0] has us serve: it is there for consumers that choose clusters themselves',
    )
  })
})

describe('an explained Service whose export is for some clusters', () => {
  it('says of each endpoint that it is not for the others, and that these import nothing', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), statesOf(1, 1, 1), { annotations: { 'sliceflow.dev/export-to': 'ap' } })
    await fleet.reconcile()
    const report = await fleet.explain()
    expect(absentOf(report)).toEqual([
      '10.1.0.1 us: the export of eu is not for us (annotation sliceflow.dev/export-to)',
    ])
    expect(report.imports.map(({ cluster, state }) => [cluster, state])).toEqual([
      ['eu', 'Imported'],
      ['us', 'Absent'],
    ])
  })
})
