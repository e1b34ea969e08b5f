import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ANNOTATION_RELEASE } from '../../../shared/changes/index.ts'
import {
  LABEL_ENDPOINT_SELECTOR_NAME,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import {
  apiVersionOf,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  NATIVE_ENDPOINT_SELECTORS,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE } from '../../../shared/reconciler/index.ts'
import { defineEndpointSelectors } from '../../../test/end-to-end/selector-scene.ts'
import { type CommandCluster, startCommandCluster } from '../../cluster.fixtures.ts'
import { outputOf } from '../../program.fixtures.ts'

const MATCHES = { selector: { matchLabels: { app: 'web' } } }

const SINCE = '2026-01-01T12:00:00.123Z'

let cluster: CommandCluster
beforeEach(async () => {
  cluster = await startCommandCluster({ crds: true })
  const { client } = cluster
  await client.create(SERVICES, {
    metadata: { namespace: 'shop', name: 'web', annotations: { kept: 'yes' } },
    spec: { ports: [{ port: 80 }] },
  })
})
afterEach(() => cluster.stop())

const addSlice = (annotations: Record<string, string>) =>
  cluster.client.create(ENDPOINT_SLICES, {
    metadata: {
      namespace: 'shop',
      name: 'web-a',
      labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: 'sliceflow.dev' },
      annotations,
    },
    addressType: 'IPv4',
    endpoints: [],
  })

const release = (...args: string[]): Promise<string> =>
  outputOf('release', '--kubeconfig', cluster.kubeconfig, ...args)

const annotations = async (): Promise<unknown> =>
  (await cluster.client.get(SERVICES, { namespace: 'shop', name: 'web' })).metadata?.annotations

describe('release', () => {
  it('names the hold on the Service, and nothing else changes there', async () => {
    await addSlice({ [ANNOTATION_HELD_SINCE]: SINCE })

    expect(await release('shop/web')).toBe(
      `released the plan of Service shop/web of cluster ${cluster.name} that was held since ${SINCE}\n`,
    )
    expect(await annotations()).toEqual({ kept: 'yes', [ANNOTATION_RELEASE]: SINCE })
  })

  it('finds the Service by -n', async () => {
    await addSlice({ [ANNOTATION_HELD_SINCE]: SINCE })

    expect(parse(await release('-n', 'shop', 'web', '-o', 'yaml'))).toEqual({
      ...{ version: 1, cluster: cluster.name, namespace: 'shop', service: 'web', heldSince: SINCE },
    })
    expect(await annotations()).toEqual({ kept: 'yes', [ANNOTATION_RELEASE]: SINCE })
  })

  it('takes the in-tree controller’s managed-by value, as plans of mode replace are held under it', async () => {
    await expect(release('--managed-by', 'endpointslice-controller.k8s.io', 'shop/web')).rejects.toThrow(
      'none of its 0 EndpointSlices with kubernetes.io/service-name=web,endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io',
    )
  })

  it.each(['shop/wep', 'shop-eu/web'])('fails at %s, which is no Service', async (name) => {
    await expect(release(name)).rejects.toThrow(name)
  })

  it('fails and writes nothing where no plan is held', async () => {
    await addSlice({})

    await expect(release('shop/web')).rejects.toThrow(/^no plan of Service shop\/web of cluster .* is held: /)
    expect(await annotations()).toEqual({ kept: 'yes' })
  })

  it.each([
    ['ours', ENDPOINT_SELECTORS],
    ['the API server’s', NATIVE_ENDPOINT_SELECTORS],
  ])(
    'releases the plan of an EndpointSelector of %s, and not that of the Service of its name',
    async (_, api) => {
      const { client } = cluster
      await defineEndpointSelectors(client, api)
      const { metadata: { uid = '' } = {} } = await client.create(api, {
        metadata: { namespace: 'shop', name: 'web' },
        spec: MATCHES,
      })
      const owner = { apiVersion: apiVersionOf(api), kind: api.kind, name: 'web', uid }
      const ofSelector = { [LABEL_ENDPOINT_SELECTOR_NAME]: 'web', [LABEL_MANAGED_BY]: 'sliceflow.dev' }
      await client.create(ENDPOINT_SLICES, {
        metadata: {
          ...{ namespace: 'shop', name: 'web-b', labels: ofSelector },
          annotations: { [ANNOTATION_HELD_SINCE]: SINCE },
          ownerReferences: [owner],
        },
        addressType: 'IPv4',
        endpoints: [],
      })

      await expect(release('shop/web')).rejects.toThrow(/^no plan of Service shop\/web/)
      expect(await release('endpointselector/shop/web')).toBe(
        `released the plan of EndpointSelector shop/web of cluster ${cluster.name} that was held since ${SINCE}\n`,
      )
      expect(await annotations()).toEqual({ kept: 'yes' })
      const { metadata } = await client.get(api, { namespace: 'shop', name: 'web' })
      expect(metadata?.annotations).toEqual({ [ANNOTATION_RELEASE]: SINCE })
      await expect(release('endpointselector/shop/web.x')).rejects.toThrow('EndpointSelector shop/web.x')
      await expect(release('endpointselector/shop/web', '--fleet')).rejects.toThrow(
        '--fleet is about ServiceImports',
      )
    },
  )
})
