import { describe, expect, it } from 'vitest'
import { makeService } from '../../../test/support/world/index.ts'
import { type Endpoints, MIRRORING_CONTROLLER, planMirror } from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { createNodeReader } from '../read/node-reader.ts'
import { createShadowSync, type ShadowSync } from './shadow-sync.ts'
import { clientOf, type World } from './world.fixtures.ts'

const made = makeService({ namespace: 'shop', selector: null })
const SERVICE = { ...made, metadata: { ...made.metadata, uid: 'uid-web' } }
const endpointsOf = (...ips: string[]): Endpoints => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-endpoints' },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }],
})
/** Returns slices as the in-tree controller mirrors these addresses. */
const inTree = (...ips: string[]) =>
  planMirror(
    { endpoints: endpointsOf(...ips), service: SERVICE, slices: [] },
    { managedBy: MIRRORING_CONTROLLER },
  ).create

function syncOf(world: Partial<World>, mirrorEndpoints = true): Promise<ShadowSync> {
  const client = clientOf({ service: SERVICE, pods: [], nodes: [], slices: [], ...world })
  return createShadowSync({
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    key: { cluster: 'a', namespace: 'shop', service: 'web' },
    settings: parseSettings({ mirrorEndpoints }),
    signal: new AbortController().signal,
  })()
}

describe('the sync of a shadow for Endpoints that are mirrored', () => {
  it('finds nothing where the in-tree controller mirrors the same', async () => {
    const world = { endpoints: endpointsOf('10.0.0.1', '10.0.0.2'), slices: inTree('10.0.0.2', '10.0.0.1') }
    expect(await syncOf(world)).toEqual({ kind: 'compared', differences: [] })
  })

  it('finds what is missing, what is too much, and nothing that is refused', async () => {
    const endpoints = endpointsOf('10.0.0.1', '169.254.169.254')
    const sync = await syncOf({ endpoints, slices: inTree('10.0.0.9') })
    if (sync.kind !== 'compared') throw new Error(sync.kind)
    expect(sync.differences.map(({ kind, endpoint }) => [kind, endpoint]).sort()).toEqual([
      ['missing', expect.stringContaining('10.0.0.1')],
      ['unexpected', expect.stringContaining('10.0.0.9')],
    ])
  })

  it('has nothing to compare without Endpoints, or without the setting', async () => {
    const endpoints = endpointsOf('10.0.0.1')
    expect(await syncOf({})).toEqual({ kind: 'unmanaged' })
    expect(await syncOf({ endpoints }, false)).toEqual({ kind: 'unmanaged' })
  })

  it('says what is wrong with Endpoints that cannot be read', async () => {
    const endpoints = { ...endpointsOf(), subsets: 'odd' as never }
    expect(await syncOf({ endpoints })).toEqual({
      kind: 'invalid',
      problem: 'subsets: expected a list, got string',
    })
  })
})
