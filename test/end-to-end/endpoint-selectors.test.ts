import { describe, expect, it } from 'vitest'
import { endpointSelectorDefinition } from '../../shared/crds/index.ts'
import type { EndpointSelector } from '../../shared/endpointslice/index.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import { ENDPOINT_SELECTORS, EVENTS } from '../../shared/kubernetes/index.ts'
import { PROJECTION_ROLE_FILES, SELECTOR_ROLE_FILES } from './cluster-role.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { describeEndpointSelectors } from './endpoint-selectors.ts'
import { describeKep6116 } from './kep-6116.ts'
import { describeNativeSelectors } from './native-selectors.ts'
import { type Scene, until } from './scene.ts'
import { MATCHES_WEB, openPublished, podsOf } from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

const start = (name: string, roleFile: readonly string[] = SELECTOR_ROLE_FILES) =>
  startEmbeddedCluster(name, {
    roleFile,
    crds: true,
    controllers: ['namespace', 'serviceaccount', 'garbage-collector'],
  })

describeKep6116('the embedded control plane', { startCluster: (name) => start(name, PROJECTION_ROLE_FILES) })
describeEndpointSelectors('the embedded control plane', start)
describeNativeSelectors('the embedded control plane', start)

async function replaceSelector({ client, namespace }: Scene, spec: object): Promise<void> {
  const ref = { namespace, name: 'web' }
  const { metadata } = await client.get(ENDPOINT_SELECTORS, ref)
  await client.update(ENDPOINT_SELECTORS, { metadata, spec } as EndpointSelector)
}

describe('a cluster with a definition of another version', () => {
  const other = useCluster(start)

  it('that allows more has Events of what cannot be published, and the slices stay', async () => {
    const { client } = other()
    const { spec, ...definition } = endpointSelectorDefinition()
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const versions = spec.versions.map((version) => ({ ...version, schema }))
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, { ...definition, spec: { ...spec, versions } } as object)
    await until(() =>
      client.list(ENDPOINT_SELECTORS).then(
        () => true,
        () => false,
      ),
    ).toBe(true)
    const scene = await openPublished(other)
    const said = async () =>
      (await scene.client.list(EVENTS, { namespace: scene.namespace })).items
        .filter(({ involvedObject }) => involvedObject?.name === 'web')
        .map(({ reason, message }) => `${reason}: ${message}`)
        .join()
    const bad = {
      'spec.selector is empty': { selector: {} },
      'another port has the name': { ...MATCHES_WEB, ports: [{ targetPort: 80 }, { targetPort: 81 }] },
      'spec.ports: expected a list': { ...MATCHES_WEB, ports: {} },
      'spec.selector: expected an object': { selector: 'app=web' },
    }
    for (const [message, spec] of Object.entries(bad)) {
      await replaceSelector(scene, spec)
      await until(said).toContain(message)
      expect(await podsOf(scene)).toEqual(['web-1', 'web-2'])
    }
  })
})
