import { describe, expect, it } from 'vitest'
import { LABEL_HEADLESS, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'

type Edit = (scene: Scene, slice: string) => Promise<unknown>

const patch =
  (text: object): Edit =>
  ({ editSlice }, slice) =>
    editSlice(slice, text)

/** Edits of others, by the name of the Service whose slice they change. */
const EDITS: Readonly<Record<string, Edit>> = {
  emptied: patch({ endpoints: null }),
  added: async ({ editSlice, slices }, slice) => {
    const found = (await slices()).find(({ metadata }) => metadata?.name === slice)
    return editSlice(slice, { endpoints: [...(found?.endpoints ?? []), { addresses: ['10.66.6.6'] }] })
  },
  ported: patch({ ports: [{ name: 'http', port: 6666, protocol: 'TCP' }] }),
  labelled: patch({ metadata: { labels: { odd: 'yes' } } }),
  // kube-proxy ignores slices of headless Services, and those of another proxy.
  headless: patch({ metadata: { labels: { [LABEL_HEADLESS]: '' } } }),
  proxied: patch({ metadata: { labels: { 'service.kubernetes.io/service-proxy-name': '' } } }),
  disowned: patch({ metadata: { ownerReferences: null } }),
  moved: patch({ metadata: { labels: { [LABEL_SERVICE_NAME]: 'other' } } }),
  released: patch({ metadata: { labels: { [LABEL_MANAGED_BY]: null } } }),
  deleted: ({ client, namespace }, slice) => client.delete(ENDPOINT_SLICES, { namespace, name: slice }),
}
const SERVICES = ['other', ...Object.keys(EDITS)]

async function openEditable(cluster: OpenCluster): Promise<Scene> {
  const scene = await openScene(cluster(), { mode: 'custom' })
  await scene.addPods(numbered('web', 3))
  for (const name of SERVICES) await scene.addService(name, { selector: { app: 'web' } })
  return scene
}

async function makeAll(scene: Scene): Promise<void> {
  for (const [service, edit] of Object.entries(EDITS)) {
    const [slice] = await scene.slices(service)
    await edit(scene, slice?.metadata?.name ?? '')
  }
  expect(await scene.differences()).not.toEqual([])
}

export function describeForeignEdits(cluster: OpenCluster): void {
  describe('a slice of ours that another client edits', () => {
    it('is repaired by the process that wrote it, by one that found it right, and by the next start', async () => {
      const scene = await openEditable(cluster)
      const first = await scene.startRight()
      await makeAll(scene)
      await scene.untilRight()
      await first.stop()

      const second = await scene.start()
      await until(() => new Set(second.outcomes.map(({ key }) => key.service)).size).toBe(SERVICES.length)
      await makeAll(scene)
      await scene.untilRight()
      await second.stop()

      await makeAll(scene)
      await scene.startRight()
    })
  })
}
