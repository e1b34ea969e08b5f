import { describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { numbered, type OpenCluster, openScene, type Scene } from './scene.ts'

interface Edit {
  readonly name: string
  readonly sentence: string
  readonly make: (scene: Scene, slice: string) => Promise<unknown>
}

const patch =
  (text: object): Edit['make'] =>
  ({ editSlice }, slice) =>
    editSlice(slice, text)

/** Edits that somebody may make to a slice of ours. Each is made to the slice of the Service of its name. */
const EDITS: readonly Edit[] = [
  { name: 'emptied', sentence: 'its endpoints are taken out', make: patch({ endpoints: null }) },
  {
    name: 'added',
    sentence: 'an endpoint is put in',
    make: async ({ editSlice, slices }, slice) => {
      const found = (await slices()).find(({ metadata }) => metadata?.name === slice)
      return editSlice(slice, { endpoints: [...(found?.endpoints ?? []), { addresses: ['10.66.6.6'] }] })
    },
  },
  {
    name: 'ported',
    sentence: 'its ports are changed',
    make: patch({ ports: [{ name: 'http', port: 6666, protocol: 'TCP' }] }),
  },
  {
    name: 'labelled',
    sentence: 'a label is put on it',
    make: patch({ metadata: { labels: { odd: 'yes' } } }),
  },
  {
    name: 'hidden',
    sentence: 'it gets the label of headless Services, so that kube-proxy ignores it',
    make: patch({ metadata: { labels: { [LABEL_HEADLESS]: '' } } }),
  },
  {
    name: 'proxied',
    sentence: 'it is given to another proxy by a label without a value',
    make: patch({ metadata: { labels: { 'service.kubernetes.io/service-proxy-name': '' } } }),
  },
  {
    name: 'disowned',
    sentence: 'its owner is taken away',
    make: patch({ metadata: { ownerReferences: null } }),
  },
  {
    name: 'moved',
    sentence: 'it is labelled as of another Service',
    make: patch({ metadata: { labels: { [LABEL_SERVICE_NAME]: 'other' } } }),
  },
  {
    name: 'released',
    sentence: 'the managed-by label is taken off',
    make: patch({ metadata: { labels: { [LABEL_MANAGED_BY]: null } } }),
  },
  {
    name: 'deleted',
    sentence: 'it is deleted',
    make: ({ client, namespace }, slice) => client.delete(ENDPOINT_SLICES, { namespace, name: slice }),
  },
]

async function openEditable(cluster: OpenCluster, services: readonly string[]): Promise<Scene> {
  const scene = await openScene(cluster(), { mode: 'custom' })
  await scene.addPods(numbered('web', 3))
  for (const name of services) await scene.addService(name, { selector: { app: 'web' } })
  return scene
}

async function sliceOf(scene: Scene, service: string): Promise<string> {
  const [slice]: readonly (EndpointSlice | undefined)[] = await scene.slices(service)
  return slice?.metadata?.name ?? ''
}

async function makeAll(scene: Scene): Promise<void> {
  for (const { name, make } of EDITS) await make(scene, await sliceOf(scene, name))
  expect(await scene.differences()).not.toEqual([])
}

export function describeForeignEdits(cluster: OpenCluster): void {
  describe('a slice of ours that somebody else edits', () => {
    it.each(EDITS)('is mended when $sentence', async ({ name, make }) => {
      const scene = await openEditable(cluster, [name, 'other'])
      await scene.start()
      await scene.untilRight()

      await make(scene, await sliceOf(scene, name))

      expect(await scene.differences()).not.toEqual([])
      await scene.untilRight()
    })

    it('is mended after a restart as before it', async () => {
      const scene = await openEditable(cluster, ['other', ...EDITS.map(({ name }) => name)])
      const first = await scene.start()
      await scene.untilRight()
      await first.stop()
      const second = await scene.start()
      const all = EDITS.length + 1
      await expect.poll(() => new Set(second.outcomes.map(({ key }) => key.service)).size).toBe(all)

      await makeAll(scene)

      await scene.untilRight()
    })

    it('is mended with the next start when Sliceflow was down', async () => {
      const scene = await openEditable(cluster, ['other', ...EDITS.map(({ name }) => name)])
      const sliceflow = await scene.start()
      await scene.untilRight()
      await sliceflow.stop()

      await makeAll(scene)
      await scene.start()

      await scene.untilRight()
    })
  })
}
