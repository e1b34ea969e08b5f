import { describe, expect, it } from 'vitest'
import { NODES, PODS } from '../../shared/kubernetes/index.ts'
import { numbered, type OpenCluster, openScene, openWeb, type Scene } from './scene.ts'

/** Changes of Service `web`, whose Pods are web-1 to web-4, in their order. Each makes its slices wrong. */
const CHANGES: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  ['a Pod becomes unready', ({ pods, namespace }) => pods.setReady({ namespace, name: 'web-1' }, false)],
  ['a Pod is added', ({ addPods }) => addPods(['web-5'])],
  ['a Pod is terminating', ({ pods, namespace }) => pods.terminate({ namespace, name: 'web-2' })],
  ['a Pod is deleted', ({ pods, namespace }) => pods.finish({ namespace, name: 'web-2' })],
  [
    'a Pod fails',
    ({ pods, namespace }) =>
      pods.setStatus({ namespace, name: 'web-3' }, ['10.1.0.2'], { ready: false, phase: 'Failed' }),
  ],
  [
    'a Pod has another address',
    ({ pods, namespace }) => pods.setStatus({ namespace, name: 'web-5' }, ['10.1.77.7']),
  ],
  ['a Pod is labelled for another Service', ({ client, namespace }) => relabel(client, namespace, 'api')],
  [
    'the ports change',
    ({ patchService }) =>
      patchService('web', { spec: { ports: [{ name: 'http', port: 81, targetPort: 9000 }] } }),
  ],
  [
    'the labels of the Service change',
    ({ patchService }) => patchService('web', { metadata: { labels: { team: 'shop' } } }),
  ],
  [
    'a Node moves to another zone',
    ({ client, nodes: [name] }) =>
      client.patch(NODES, { name }, { metadata: { labels: { 'topology.kubernetes.io/zone': 'zone-c' } } }),
  ],
  ['a Node is deleted', ({ client, nodes: [name] }) => client.delete(NODES, { name })],
  [
    'unready addresses are to be published',
    ({ patchService }) => patchService('web', { spec: { publishNotReadyAddresses: true } }),
  ],
  [
    'the selector narrows',
    ({ patchService, selectorPatch }) => patchService('web', selectorPatch({ app: 'web', track: 'canary' })),
  ],
  ['the Service is deleted', ({ removeService }) => removeService('web')],
]

const relabel = (client: Scene['client'], namespace: string, app: string): Promise<unknown> =>
  client.patch(PODS, { namespace, name: 'web-5' }, { metadata: { labels: { app } } })

export function describeServiceChanges(cluster: OpenCluster): void {
  describe('after a change', () => {
    it('the slices become right', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addPods(numbered('web', 3))
      await scene.addPods(['web-4'], { labels: { app: 'web', track: 'canary' }, ready: false })
      await scene.addService('web')
      await scene.addService('api')
      await scene.startRight()
      for (const [what, change] of CHANGES) {
        const before = await scene.slices()
        await change(scene)
        expect(await scene.differences(before), what).not.toEqual([])
        await scene.untilRight()
      }
    })

    it('that came while Sliceflow was down, they become right with its start', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'replace' })
      await scene.addService('recreated', { selector: { app: 'web' } })
      await scene.addService('recreated-empty', { selector: { app: 'nobody' } })
      await scene.addService('removed', { selector: { app: 'web' } })
      const sliceflow = await scene.startRight()
      await sliceflow.stop()

      await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
      await scene.removeService('removed')
      await scene.removeService('recreated')
      await scene.addService('recreated', { selector: { app: 'web' } })
      await scene.removeService('recreated-empty')
      await scene.addService('recreated-empty', { selector: { app: 'nobody' } })
      expect(await scene.differences()).not.toEqual([])
      await scene.start()

      await scene.untilRight()
      expect(await scene.slices('removed')).toEqual([])
    })
  })
}
