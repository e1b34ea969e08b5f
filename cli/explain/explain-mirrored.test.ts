import { describe, expect, it } from 'vitest'
import { isOwnAnnotation, seal } from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  type Endpoints,
  LABEL_SKIP_MIRROR,
  MIRRORING_CONTROLLER,
  planMirror,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { createNodeReader, readOnlyClient } from '../../shared/reconciler/index.ts'
import { clientOf, type World } from '../../shared/reconciler/shadow/world.fixtures.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { makeService } from '../../test/support/world/index.ts'
import { describeService, explainService, type ServiceReport } from './index.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const made = makeService({ namespace: 'shop', selector: null })
const SERVICE: Service = { ...made, metadata: { ...made.metadata, uid: 'uid-web' } }

const endpointsOf = (ips: readonly string[], metadata: Endpoints['metadata'] = {}): Endpoints => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-endpoints', ...metadata },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }],
})
const mirrorsOf = (endpoints: Endpoints, managedBy = 'sliceflow.dev'): EndpointSlice[] =>
  planMirror({ endpoints, service: SERVICE, slices: [] }, { managedBy, isOwnAnnotation }).create.map(seal)

async function explain(world: Partial<World>, input: SettingsInput = {}): Promise<ServiceReport> {
  const whole = { service: SERVICE, pods: [], nodes: [], slices: [], ...world }
  const client = readOnlyClient(clientOf(whole))
  const report = await explainService({
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    key: { cluster: 'a', namespace: 'shop', service: 'web' },
    settings: parseSettings({ mirrorEndpoints: true, ...input }),
    signal: new AbortController().signal,
    now: () => NOW,
  })
  if (report === undefined) throw new Error('there is nothing to explain')
  return report
}
const wordsOf = (report: ServiceReport): string => describeService(report, NOW).replaceAll(/ +/g, ' ')

describe('the explanation of a Service whose slices mirror Endpoints', () => {
  it('says so, and that the slices are as planned', async () => {
    const endpoints = endpointsOf(['10.0.0.1', '10.0.0.2'])
    const report = await explain({ endpoints, slices: mirrorsOf(endpoints) })
    expect(report).toMatchObject({
      management: { state: 'Managed', plannedFor: 'sliceflow.dev' },
      source: { kind: 'Endpoints' },
      slices: [{ outcome: 'AsPlanned', seal: 'Sealed', endpoints: 2 }],
      writes: { create: [], update: [], delete: [] },
      warnings: [],
      problems: [],
    })
    expect(wordsOf(report)).toContain(
      'Managed: yes: it has no selector, and its slices mirror the Endpoints of its name',
    )
    expect(wordsOf(report)).toContain('Endpoints: those of the Endpoints of its name')
    expect(wordsOf(report)).toContain('Next write: nothing: the slices are as planned')
  })

  it('names what the next sync would write', async () => {
    const slices = mirrorsOf(endpointsOf(['10.0.0.1']))
    const [name] = slices.map(({ metadata }) => metadata?.name)
    const changed = await explain({ endpoints: endpointsOf(['10.0.0.2']), slices })
    expect(changed.writes).toEqual({ create: [], update: [name], delete: [] })
    expect(wordsOf(changed)).toContain('will get')
    expect((await explain({ endpoints: endpointsOf(['10.0.0.1']) })).writes.create).toHaveLength(1)
    const gone = await explain({ endpoints: endpointsOf([]), slices })
    expect(gone.writes.delete).toEqual([name])
    expect(gone.slices[0]?.reasons).toEqual(['it mirrors nothing of the Endpoints any more'])
  })

  it('says what is left out, and what is held', async () => {
    const left = await explain({ endpoints: endpointsOf(['10.0.0.1', '127.0.0.1', 'example.org']) })
    expect(left.problems).toEqual([
      expect.stringContaining('127.0.0.1 is in 127.0.0.0/8'),
      expect.stringContaining('1 addresses are not mirrored'),
    ])
    const slices = mirrorsOf(endpointsOf(['10.0.0.1']))
    const held = await explain(
      { endpoints: endpointsOf([]), slices },
      { maximumRemoval: 0, maximumRemovalCount: 0 },
    )
    expect(held.writes.delete).toEqual([])
    expect(held.warnings).toEqual([expect.stringContaining('maximumRemoval')])
  })

  it('warns where the in-tree mirroring controller publishes the same', async () => {
    const endpoints = endpointsOf(['10.0.0.1'])
    const slices = [...mirrorsOf(endpoints), ...mirrorsOf(endpoints, MIRRORING_CONTROLLER)]
    const { warnings } = await explain({ endpoints, slices })
    expect(warnings).toEqual([expect.stringContaining(MIRRORING_CONTROLLER)])
  })

  it.each<[string, Endpoints | undefined]>([
    ['there are no Endpoints of its name to mirror', undefined],
    [
      `the Endpoints of its name have the label ${LABEL_SKIP_MIRROR}: "true"`,
      endpointsOf(['10.0.0.1'], { labels: { [LABEL_SKIP_MIRROR]: 'true' } }),
    ],
    [
      'the Endpoints of its name stand for a lock (annotation control-plane.alpha.kubernetes.io/leader), which is not mirrored',
      endpointsOf(['10.0.0.1'], { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } }),
    ],
  ])('says why there is none: %s', async (reason, endpoints) => {
    const report = await explain({ ...(endpoints && { endpoints }) })
    expect(report.management).toEqual({ state: 'Unmanaged', reason: `it has no selector, and ${reason}` })
    expect(report.source).toBeUndefined()
  })

  it('names the setting where it is off', async () => {
    const endpoints = endpointsOf(['10.0.0.1'])
    const slices = mirrorsOf(endpoints)
    const report = await explain({ endpoints, slices }, { mirrorEndpoints: false })
    expect(report.management.state).toBe('Unmanaged')
    expect(report.writes.delete).toEqual([])
    expect(report.warnings).toEqual([expect.stringContaining('without the setting mirrorEndpoints')])
  })
})
