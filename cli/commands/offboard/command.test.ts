import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seal } from '../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, type Resource } from '../../../shared/kubernetes/index.ts'
import { type CommandCluster, startCommandCluster } from '../../cluster.fixtures.ts'
import { offboard as run } from './run.ts'

const IN_TREE = 'endpointslice-controller.k8s.io'

let cluster: CommandCluster
beforeEach(async () => {
  cluster = await startCommandCluster()
})
afterEach(() => cluster.stop())

interface SliceInput {
  readonly managedBy?: string
  readonly service?: string
}

function slice(name: string, { managedBy, service = 'web' }: SliceInput = {}): EndpointSlice {
  const labels = {
    ...(service && { [LABEL_SERVICE_NAME]: service }),
    ...(managedBy && { [LABEL_MANAGED_BY]: managedBy }),
  }
  return {
    metadata: { namespace: 'shop', name, labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [],
  }
}

const add = (...slices: EndpointSlice[]): Promise<unknown> =>
  Promise.all(slices.map((one) => cluster.client.create(ENDPOINT_SLICES, one)))

async function names(): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.list(ENDPOINT_SLICES, { namespace: 'shop' })
  return items.map(({ metadata }) => metadata?.name).sort()
}

/** Runs it without waiting for slices to come back. */
const offboard = (
  more: { yes?: true; namespace?: string; managedBy?: string; isExplicit?: boolean } = {},
) => {
  const { kubeconfig, name } = cluster
  const options = {
    kubeconfig: [kubeconfig],
    context: name,
    output: 'json' as const,
    isExplicit: false,
    ...more,
  }
  return cluster.output(() => run(options, 0)).then((text) => JSON.parse(text) as object)
}

describe('offboard', () => {
  it('lists what would go, and does nothing without --yes', async () => {
    await add(seal(slice('web-a', { managedBy: 'sliceflow.dev' })), slice('by-hand'))

    expect(await offboard()).toEqual({
      version: 1,
      cluster: cluster.name,
      managedBy: 'sliceflow.dev',
      slices: [{ namespace: 'shop', name: 'web-a', kind: 'Service', service: 'web' }],
      projections: [],
      notOurs: 0,
      deleted: null,
      cameBack: 0,
    })
    expect(await names()).toEqual(['by-hand', 'web-a'])
  })

  it('deletes what Sliceflow made with --yes, also when others edited it, and nothing else', async () => {
    await add(
      seal(slice('web-a', { managedBy: 'sliceflow.dev' })),
      slice('web-edited', { managedBy: 'sliceflow.dev' }),
      slice('by-hand'),
      slice('in-tree', { managedBy: IN_TREE }),
      slice('no-service', { managedBy: 'sliceflow.dev', service: '' }),
    )

    expect(await offboard({ yes: true })).toMatchObject({ deleted: 2, cameBack: 0 })
    expect(await names()).toEqual(['by-hand', 'in-tree', 'no-service'])
    expect(await offboard({ yes: true })).toMatchObject({ slices: [], deleted: 0 })
  })

  it('touches no other namespace than the one that was given', async () => {
    await add(seal(slice('web-a', { managedBy: 'sliceflow.dev' })))

    expect(await offboard({ yes: true, namespace: 'default' })).toMatchObject({ slices: [], deleted: 0 })
    expect(await names()).toEqual(['web-a'])
    expect(await offboard({ yes: true, namespace: 'shop' })).toMatchObject({ deleted: 1 })
    expect(await names()).toEqual([])
  })

  it('refuses a managed-by value that is not Sliceflow’s own and was not given as a flag', async () => {
    await add(seal(slice('a', { managedBy: IN_TREE })))

    await expect(offboard({ yes: true, managedBy: IN_TREE })).rejects.toThrow(
      /the environment says managed-by endpointslice-controller.k8s.io/,
    )
    expect(await names()).toEqual(['a'])
  })

  it('refuses when Sliceflow wrote slices under another value as well', async () => {
    await add(seal(slice('a', { managedBy: 'sliceflow.dev' })), seal(slice('b', { managedBy: IN_TREE })))

    await expect(offboard({ yes: true })).rejects.toThrow(/1 with endpointslice-controller.k8s.io/)
    expect(await names()).toEqual(['a', 'b'])
    expect(await offboard({ yes: true, managedBy: 'sliceflow.dev', isExplicit: true })).toMatchObject({
      deleted: 1,
    })
    expect(await names()).toEqual(['b'])
  })

  it('refuses a value that no slice has when Sliceflow wrote some under another one', async () => {
    await add(seal(slice('a', { managedBy: 'team-a' })))

    await expect(offboard({ yes: true, managedBy: 'tema-a', isExplicit: true })).rejects.toThrow(
      'there is no slice with managed-by tema-a; Sliceflow wrote slices that carry other values (1 with team-a)',
    )
    expect(await names()).toEqual(['a'])
  })

  it('fails when slices come back, as a relay still runs', async () => {
    await add(seal(slice('web-a', { managedBy: 'sliceflow.dev' })))
    const { client } = cluster
    const version = (await client.list(ENDPOINT_SLICES)).metadata.resourceVersion
    const watch = await client.watch(ENDPOINT_SLICES as Resource<ApiObject>, {
      resourceVersion: version,
      timeoutSeconds: 30,
      inactivityMs: 30_000,
    })
    const again = (async () => {
      for await (const { type } of watch)
        if (type === 'DELETED') return add(seal(slice('web-a', { managedBy: 'sliceflow.dev' })))
      return undefined
    })()
    const { kubeconfig, name } = cluster
    const options = { kubeconfig: [kubeconfig], context: name, output: 'text', isExplicit: false } as const

    await expect(cluster.output(() => run({ ...options, yes: true }, 500))).rejects.toThrow(
      /1 object has come back in cluster .*: a relay or function still runs/,
    )
    await again
  })
})
