import { expect, it, onTestFinished, vi } from 'vitest'
import { offboard } from '../../cli/commands/offboard/run.ts'
import { runRelease } from '../../cli/commands/release/run.ts'
import { ANNOTATION_RELEASE, FLEET_MANAGED_BY } from '../../shared/changes/index.ts'
import { type EndpointSelector, LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { defineKinds } from '../../shared/fleet/crds.fixtures.ts'
import { LABEL_IMPORT_NAME, serviceImports } from '../../shared/fleet/index.ts'
import { ENDPOINT_SELECTORS, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE } from '../../shared/reconciler/index.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { makeService, makeSlice } from '../support/world/index.ts'
import { type EmbeddedClusterOptions, startEmbeddedCluster } from './embedded-cluster.ts'
import { defineEndpointSelectors, MATCHES_WEB } from './selector-scene.ts'

const SINCE = '2026-01-01T12:00:00.000Z'

/** Opens a scene with a held Service. The cluster's user has the rules of operator.yaml and no more. */
async function openScene(more: Pick<EmbeddedClusterOptions, 'crds' | 'roleFile'> = {}) {
  const cluster = await startEmbeddedCluster('a', { roleFile: 'operator.yaml', ...more })
  const kubeconfigs = await openKubeconfigs()
  const { client } = await kubeconfigs.connect(cluster.admin)
  onTestFinished(async () => {
    await kubeconfigs.close()
    await cluster.stop()
  })
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  await client.create(SERVICES, makeService({ namespace: 'shop', name: 'web', selector: null }))
  const slice = makeSlice({ namespace: 'shop', name: 'web-a', service: 'web', managedBy: 'sliceflow.dev' })
  const annotations = { [ANNOTATION_HELD_SINCE]: SINCE }
  await client.create(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, annotations } })
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation(() => true)
    onTestFinished(() => spy.mockRestore())
  }
  return {
    client,
    options: { kubeconfig: [await kubeconfigs.write(cluster.user)], context: 'a', output: 'text' } as const,
  }
}

it('an operator with the rules of operator.yaml can release the held plan of an import', async () => {
  const { client, options } = await openScene({ crds: true })
  await defineKinds(client)
  const imported = { namespace: 'shop', name: 'web' }
  await client.create(serviceImports('v1beta1'), {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceImport',
    metadata: imported,
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
  })
  const slice = makeSlice({
    namespace: 'shop',
    name: 'derived-a',
    service: 'derived',
    managedBy: FLEET_MANAGED_BY,
  })
  const labels = { ...slice.metadata?.labels, [LABEL_IMPORT_NAME]: 'web' }
  const annotations = { [ANNOTATION_HELD_SINCE]: SINCE }
  await client.create(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, labels, annotations } })

  await runRelease('shop/web', { ...options, fleet: true })
  const { metadata } = await client.get(serviceImports('v1beta1'), imported)
  expect(metadata?.annotations).toMatchObject({ [ANNOTATION_RELEASE]: SINCE })
})

it('an operator with the rules of operator.yaml can release a held plan and offboard a cluster', async () => {
  const { client, options } = await openScene()

  await runRelease('shop/web', options)
  const { metadata } = await client.get(SERVICES, { namespace: 'shop', name: 'web' })
  expect(metadata?.annotations).toMatchObject({ [ANNOTATION_RELEASE]: SINCE })

  await offboard({ ...options, yes: true, isExplicit: false }, 0)
  expect((await client.list(ENDPOINT_SLICES, { namespace: 'shop' })).items).toEqual([])
})

it('an operator with the rules of operator.yaml can offboard EndpointSelectors that stand for Services', async () => {
  const roleFile = ['operator.yaml', 'endpoint-selectors-read-only.yaml']
  const { client, options } = await openScene({ roleFile, crds: true })
  await defineEndpointSelectors(client)
  const [one, other] = ['sliceflow.dev', 'other.example'].map(
    (managedBy, index) =>
      ({
        metadata: {
          ...{ name: `web-${index}`, namespace: 'shop', labels: { [LABEL_MANAGED_BY]: managedBy } },
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Service', name: `web-${index}`, uid: 'uid', controller: true },
          ],
        },
        spec: MATCHES_WEB,
      }) as EndpointSelector,
  )
  const own = { metadata: { ...one?.metadata, name: 'own', ownerReferences: [] }, spec: MATCHES_WEB }
  for (const selector of [one, other, own as EndpointSelector])
    if (selector) await client.create(ENDPOINT_SELECTORS, selector)

  await offboard({ ...options, yes: true, isExplicit: false }, 0)
  const { items } = await client.list(ENDPOINT_SELECTORS, { namespace: 'shop' })
  expect(items.map(({ metadata }) => metadata?.name)).toEqual(['own', 'web-1'])
})
