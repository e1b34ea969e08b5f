import { readFile } from 'node:fs/promises'
import { KubeConfig } from '@kubernetes/client-node'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runConsumer } from '../../examples/gateway-backends/consumer.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SELECTORS,
  firstServed,
  type Resource,
} from '../../shared/kubernetes/index.ts'
import type { StartCluster, TestCluster } from '../end-to-end/cluster.ts'
import { openScene, type Scene, until } from '../end-to-end/scene.ts'
import { defineEndpointSelectors, ON, slicesOf } from '../end-to-end/selector-scene.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'

const EXAMPLE = new URL('../../examples/gateway-backends/backends.yaml', import.meta.url)

type Backend = ApiObject & { readonly spec: object }
const POOLS: Resource<Backend> = {
  group: 'inference.networking.k8s.io',
  version: 'v1',
  plural: 'inferencepools',
  kind: 'InferencePool',
  namespaced: true,
}
const BACKENDS: Resource<Backend> = {
  group: 'gateway.networking.x-k8s.io',
  version: 'v1alpha1',
  plural: 'xbackends',
  kind: 'XBackend',
  namespaced: true,
}

/** Creates the object of the kind that the example has. */
async function addExample({ client, namespace }: Scene, resource: Resource<Backend>): Promise<Backend> {
  const objects = parseAllDocuments(await readFile(EXAMPLE, 'utf8')).map((text): Backend => text.toJS())
  const object = objects.find(({ kind }) => kind === resource.kind)
  if (object === undefined) throw new Error(`the example has no ${resource.kind}`)
  return client.create(resource, { ...object, metadata: { ...object.metadata, namespace } })
}

/** Definitions with no more than the fields that the tests use, for servers without those of the APIs. */
export const MINIMAL_DEFINITIONS: readonly object[] = [POOLS, BACKENDS].map(
  ({ group, version, plural, kind }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, in a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          },
        },
      ],
    },
  }),
)

export interface GatewayBackendsOptions {
  readonly startCluster: StartCluster
  readonly definitions: () => Promise<readonly object[]>
  /** Starts the garbage collector until the test ends; default: the cluster has one. */
  readonly startCollectors?: () => Promise<void>
}

const isServed = (client: ApiClient, resource: Resource<Backend>): Promise<boolean> =>
  firstServed(client, [resource]).then(
    (served) => served !== undefined,
    () => false,
  )

/** Describes the example of a gateway's consumer on any API server that serves definitions. */
export function describeGatewayBackends(
  name: string,
  { startCluster, definitions, startCollectors }: GatewayBackendsOptions,
): void {
  describe(`the consumer of slices on ${name}`, () => {
    let started: TestCluster
    const cluster = useCluster(async (of) => {
      started = await startCluster(of)
      return started
    })
    beforeAll(async () => {
      const { client } = cluster()
      await defineEndpointSelectors(client)
      for (const definition of await definitions())
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
      for (const resource of [POOLS, BACKENDS])
        while (!(await isServed(client, resource))) await new Promise((resolve) => setTimeout(resolve, 20))
    })

    /** Runs the example beside Sliceflow; returns the addresses that it has said last of each parent. */
    async function openConsumer(): Promise<{
      scene: Scene
      said: (parent: string) => readonly string[] | undefined
    }> {
      const scene = await openScene(cluster(), ON)
      const config = new KubeConfig()
      config.loadFromString(started.admin)
      const ending = new AbortController()
      const addresses = new Map<string, readonly string[]>()
      await scene.start()
      const running = runConsumer(config, (parent, some) => void addresses.set(parent, some), ending.signal)
      onTestFinished(async () => {
        ending.abort()
        await running
      })
      return { scene, said: (parent) => addresses.get(parent) }
    }

    it('an InferencePool has an EndpointSelector of its own, whose ready addresses are those to pick from', async () => {
      await startCollectors?.()
      const { scene, said } = await openConsumer()
      const { client, namespace } = scene
      const pool = () => said(`InferencePool ${namespace}/models`)
      await scene.addPods(['models-1', 'models-2'], { labels: { app: 'models' } })
      const { metadata } = await addExample(scene, POOLS)
      await until(pool).toEqual(['10.1.0.0:8000', '10.1.0.1:8000'])
      const { items } = await client.list(ENDPOINT_SELECTORS, { namespace })
      expect(items.map((item) => item.metadata?.ownerReferences?.map(({ uid }) => uid))).toEqual([
        [metadata?.uid],
      ])
      expect(items[0]?.metadata?.name).toMatch(/^models-\w+$/)

      await scene.pods.setReady({ namespace, name: 'models-1' }, false)
      await until(pool).toEqual(['10.1.0.1:8000'])
      await client.patch(POOLS, { namespace, name: 'models' }, { spec: { targetPorts: [{ number: 9000 }] } })
      await until(pool).toEqual(['10.1.0.1:9000'])

      await client.delete(POOLS, { namespace, name: 'models' })
      const left = async () => (await client.list(ENDPOINT_SELECTORS, { namespace })).items
      await until(left).toEqual([])
      await until(() => slicesOf(scene, items[0]?.metadata?.name ?? '')).toEqual([])
    })

    it('an XBackend of type EndpointSelector is sent to the Pods of its inline labels, another to none', async () => {
      const { scene, said } = await openConsumer()
      const { client, namespace } = scene
      await scene.addPods(['web-1', 'web-2'])
      await addExample(scene, BACKENDS)
      await client.create(BACKENDS, {
        metadata: { name: 'elsewhere', namespace },
        spec: {
          type: 'ExternalHostname',
          externalHostname: { hostname: 'shop.example.org' },
          port: { number: 443 },
        },
      })
      await until(() => said(`XBackend ${namespace}/shop`)).toEqual(['10.1.0.0:8080', '10.1.0.1:8080'])
      expect(said(`XBackend ${namespace}/elsewhere`)).toEqual([])
      await scene.pods.finish({ namespace, name: 'web-1' })
      await until(() => said(`XBackend ${namespace}/shop`)).toEqual(['10.1.0.1:8080'])
    })
  })
}
