import { describe, expect, it } from 'vitest'
import { ENDPOINT_SELECTORS, ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { parseSettings, type SettingsInput } from '../../../shared/settings/index.ts'
import { describeFleetService } from './describe-fleet.ts'
import { explainFleetService } from './explain-fleet.ts'
import { EXPORTS, type Exported, endpointAt, exportFrom, NAMED, openFleet } from './fleet.fixtures.ts'
import type { FleetReport } from './report.ts'

const READS = /^(get|list) /

/** Writes such as `us: LeftOut, its address is refused`, of the first endpoint. */
const arrivalsOf = ({ endpoints: [endpoint] }: FleetReport): string[] =>
  (endpoint?.arrivals ?? []).map(({ cluster, outcome, reasons }) =>
    [`${cluster}: ${outcome}`, ...reasons].join(', '),
  )

describe('an explained Service of a cluster set', () => {
  it('costs no write', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    await fleet.explain()
    for (const name of ['eu', 'us'])
      expect(fleet.cluster(name).calls.filter((call) => !READS.test(call))).toEqual([])
  })

  it('says of an exported EndpointSelector what its ports are', async () => {
    const fleet = openFleet()
    const eu = fleet.cluster('eu')
    const labels = { 'kubernetes.io/endpoint-selector-name': 'web' }
    exportFrom(eu, [endpointAt('10.1.0.1')], {
      annotations: { 'sliceflow.dev/export-kind': 'EndpointSelector' },
      slice: { metadata: { ...NAMED, labels }, ports: [{ name: 'metrics', port: 9090, protocol: 'TCP' }] },
    })
    eu.put(ENDPOINT_SELECTORS, {
      apiVersion: 'sliceflow.dev/v1alpha1',
      kind: 'EndpointSelector',
      metadata: NAMED,
      spec: {
        selector: { matchLabels: { app: 'web' } },
        ports: [{ name: 'grpc', protocol: 'TCP', targetPort: 9000 }],
      },
    })
    const { endpoints } = await fleet.explain()
    expect(endpoints[0]?.leftOut?.message).toBe(
      "none of its ports is one of the import's (grpc 9000/TCP): its EndpointSelector has grpc 9000/TCP",
    )
  })

  it('names an endpoint that is not ready, and where it arrives all the same', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [
      endpointAt('10.1.0.1', { ready: false, serving: true, terminating: true }),
    ])
    await fleet.reconcile()
    const report = await fleet.explain()
    expect(arrivalsOf(report)).toEqual(['eu: Published', 'us: Published'])
    const text = describeFleetService(report, 0)
    expect(text).toContain('not ready, serving, terminating')
    expect(text).toContain('it is not ready in its own cluster: it arrives as such')
  })

  it.each<{
    what: string
    address: string
    exported?: Exported
    settings?: SettingsInput
    code: string
    message: string
  }>([
    {
      what: 'a port that is not exposed',
      address: '10.1.0.1',
      exported: { slice: { ports: [{ name: 'metrics', port: 9090, protocol: 'TCP' }] } },
      code: 'PortNotImported',
      message: "none of its ports is one of the import's (http 80/TCP): its Service has http 80/TCP",
    },
    {
      what: 'a family that is not imported',
      address: 'web.example.org',
      exported: { slice: { addressType: 'FQDN' } },
      code: 'FamilyNotImported',
      message: 'its address is of type FQDN; only IPv4 and IPv6 are imported',
    },
    {
      what: 'what is no address',
      address: '10.1',
      code: 'InvalidAddress',
      message: '"10.1" is no IPv4 address',
    },
    {
      what: 'a refused address',
      address: '10.9.0.1',
      settings: { refusedAddresses: '10.9.0.0/16' },
      code: 'RefusedAddress',
      message: 'its address is in 10.9.0.0/16, which is refused (setting refusedAddresses)',
    },
  ])('says of $what that it arrives nowhere', async ({ address, exported, settings, code, message }) => {
    const fleet = openFleet({ eu: 'both', us: 'import' }, settings)
    exportFrom(fleet.cluster('eu'), [endpointAt(address)], exported)
    await fleet.reconcile()
    const report = await fleet.explain()
    expect(report.endpoints[0]?.leftOut).toEqual({ code, message })
    expect(report.endpoints[0]?.arrivals.map(({ outcome }) => outcome)).toEqual(['LeftOut', 'LeftOut'])
    expect(describeFleetService(report, 0)).toContain(`      ${message}\n`)
  })

  it('counts the endpoints that a conflict of ports leaves out, and an address of two port sets once', async () => {
    const fleet = openFleet()
    const port = (name: string, number: number) => ({ name, port: number, protocol: 'TCP' })
    const ports = [port('http', 80), port('metrics', 9090)]
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1'), endpointAt('10.1.0.2', { ready: false })], {
      spec: { ports },
      slice: { ports: [port('http', 8080)] },
    })
    fleet.cluster('eu').put(ENDPOINT_SLICES, {
      addressType: 'IPv4',
      endpoints: [endpointAt('10.1.0.1'), endpointAt('10.1.0.2', { ready: false })],
      metadata: { name: 'web-2', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
      ports: [port('metrics', 9090)],
    })
    exportFrom(fleet.cluster('us'), [endpointAt('10.2.0.1'), endpointAt('10.2.0.2')], {
      spec: { ports: [port('http', 81)] },
      created: '2026-01-02T00:00:00Z',
    })
    const textOf = async () => describeFleetService(await fleet.explain(), 0)
    expect(await textOf()).toMatch(/us +to be written .* eu 0\/2, us 0\/2\n/)
    await fleet.reconcile()
    expect(await textOf()).toMatch(/us +imported .* eu 1\/2, us 0\/2\n/)
  })

  it('says where the derived Service has not the family of an endpoint', async () => {
    const fleet = openFleet({ eu: 'export', us: 'import' })
    exportFrom(fleet.cluster('eu'), [endpointAt('fd00::1')], { slice: { addressType: 'IPv6' } })
    await fleet.reconcile()
    const [derived] = fleet.cluster('us').all(SERVICES)
    fleet.cluster('us').put(SERVICES, { ...derived, spec: { ...derived?.spec, ipFamilies: ['IPv4'] } })
    await fleet.reconcile()
    expect(arrivalsOf(await fleet.explain())).toEqual([
      "us: Published, cluster us assigns IPv4, and endpoints are ready in IPv6 only, its family is not one of the derived Service's there (IPv4): kube-proxy does not serve it",
    ])
  })

  it('says which cluster cannot be reached, and that what it exports stays in the others', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    exportFrom(fleet.cluster('us'), [endpointAt('10.2.0.1')])
    await fleet.reconcile()
    fleet.lose('us')
    const states = ({ imports }: FleetReport) => imports.map(({ state }) => state)
    expect(states(await fleet.explain())).toEqual(['Pending', 'Unread'])
    await expect(fleet.reconcile()).rejects.toThrow('does not answer')
    const report = await fleet.explain()
    expect(report.warnings).toEqual([expect.stringMatching(/^cluster us cannot be read: .*does not answer/)])
    expect(report.exports.map(({ state }) => state)).toEqual(['Exported', 'Unread'])
    expect(states(report)).toEqual(['Imported', 'Unread'])
    expect(report.imports[0]?.sources.map(({ cluster, ready }) => [cluster, ready])).toEqual([
      ['eu', 1],
      ['us', 1],
    ])
    expect(arrivalsOf(report)).toEqual([
      'eu: Published',
      expect.stringMatching(/^us: LeftOut, .*does not answer/),
    ])
  })

  it('says which cluster does not serve the API, and which ones only export or import', async () => {
    const fleet = openFleet({ eu: 'export', us: 'import', ap: 'both' })
    fleet.unserve('ap')
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    const { exports, imports } = await fleet.explain()
    expect(exports.map(({ state }) => state)).toEqual(['Exported', 'None', 'Unserved'])
    expect(imports.map(({ state }) => state)).toEqual(['None', 'Pending', 'Unserved'])
    expect(imports[2]?.reason).toContain('sliceflow crds --fleet')
  })

  it('says what an export that is not valid lacks', async () => {
    const fleet = openFleet()
    fleet.cluster('eu').put(EXPORTS, { metadata: NAMED })
    const report = await fleet.explain()
    expect(report.exports[0]).toMatchObject({
      state: 'Invalid',
      reason: 'There is no Service of this name in the namespace.',
    })
    expect(describeFleetService(report, 0)).toMatch(/Imported: +nothing: no cluster has a valid export/)
  })

  it('says what is taken away once the last export is gone', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    await fleet.reconcile()
    fleet.cluster('eu').remove(EXPORTS, 'web')
    const { imports } = await fleet.explain()
    for (const { state, reason, writes } of imports) {
      expect([state, reason]).toEqual(['Pending', 'a reconcile would remove it'])
      expect(writes.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual([
        'delete EndpointSlice',
        'delete Service',
        'delete ServiceImport',
      ])
    }
  })

  it('says that an import is held by other settings than those that were given', async () => {
    const fleet = openFleet(undefined, { maximumRemoval: 0.5, maximumRemovalCount: 0 })
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    await fleet.reconcile()
    exportFrom(fleet.cluster('eu'), [])
    await fleet.reconcile()
    const held = await fleet.explain()
    expect(held.imports.map(({ reason }) => reason)).toEqual(
      Array(2).fill(expect.stringContaining('until `sliceflow release --fleet`')),
    )
    const other = await explainFleetService({ ...fleet.options, settings: parseSettings({}) })
    expect(other?.imports.map(({ state, reason }) => [state, reason])).toEqual(
      Array(2).fill(['Blocked', expect.stringContaining('give those that Sliceflow runs with')]),
    )
  })

  it('says of a cluster that leaves what is removed there', async () => {
    const fleet = openFleet({ eu: 'both', us: 'leave' })
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    const { exports, imports, endpoints } = await fleet.explain()
    expect(exports[1]).toMatchObject({ state: 'None', reason: 'it leaves the set' })
    expect(imports[1]).toMatchObject({ state: 'Absent', reason: 'it leaves the set', writes: [] })
    expect(endpoints[0]?.arrivals.map(({ cluster }) => cluster)).toEqual(['eu'])
  })

  it('says of a namespace that leaves what is removed in each cluster', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    await fleet.reconcile()
    const set = { ...fleet.options.set, namespaces: ['shop=leave'] }
    const report = await explainFleetService({ ...fleet.options, set })
    expect(report?.exports.map(({ reason }) => reason)).toEqual(['it leaves the set', 'it leaves the set'])
    expect(report?.imports.map(({ reason }) => reason)).toEqual(Array(2).fill('a reconcile would remove it'))
  })

  it('says of a cluster whose identity is unknown that nothing is read of it', async () => {
    const fleet = openFleet()
    exportFrom(fleet.cluster('eu'), [endpointAt('10.1.0.1')])
    const [eu, us] = fleet.options.set.members
    if (eu === undefined || us === undefined) throw new Error('two members are needed')
    const set = { ...fleet.options.set, members: [eu, { ...us, problem: 'cluster "us" is in two sets' }] }
    const report = await explainFleetService({ ...fleet.options, set })
    expect(report?.warnings).toEqual(['cluster "us" is in two sets: nothing is read of it or written there'])
    expect(report?.imports.map(({ state }) => state)).toEqual(['Pending', 'Unread'])
    expect(fleet.cluster('us').calls).toEqual([])
  })

  it('says that a namespace is not shared, and reads nothing of it', async () => {
    const fleet = openFleet()
    const report = await explainFleetService({ ...fleet.options, namespace: 'other' })
    expect(report?.warnings[0]).toContain('namespace other is not shared by the set (shop)')
    expect(report?.warnings[0]).toContain('name other=leave among the namespaces of the set')
    expect(fleet.cluster('eu').calls).toEqual([])
  })

  it('is none where no cluster knows it', async () => {
    expect(await explainFleetService(openFleet().options)).toBeUndefined()
  })
})
