import {
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeIn, PATIENCE, type Subject } from './subject.ts'

type Data = KubernetesObject & { data?: Record<string, string> }

/** Describes the official JavaScript client, with its informers, watches, patches and untyped objects. */
export function describeClientNode(subject: Subject): void {
  describeIn(subject, 'client-node', ({ namespace }) => {
    let config: KubeConfig
    let core: CoreV1Api
    beforeAll(() => {
      config = new KubeConfig()
      config.loadFromString(subject.server.kubeconfig)
      core = config.makeApiClient(CoreV1Api)
    })
    const configMap = (name: string, data: Record<string, string>): V1ConfigMap => ({
      metadata: { name, labels: { suite: name } },
      data,
    })

    it('hears of what is added, changed and deleted from an informer', async () => {
      const labelSelector = 'suite=informed'
      const list = () => core.listNamespacedConfigMap({ namespace, labelSelector })
      await core.createNamespacedConfigMap({ namespace, body: configMap('informed', { a: '1' }) })
      const heard: string[] = []
      const path = `/api/v1/namespaces/${namespace}/configmaps`
      const informer = makeInformer(config, path, list, labelSelector)
      for (const event of ['add', 'update', 'delete'] as const) {
        informer.on(event, ({ data }) => heard.push(`${event} ${data?.a}`))
      }
      await informer.start()
      onTestFinished(() => informer.stop())
      await expect.poll(() => heard, PATIENCE).toEqual(['add 1'])
      await core.replaceNamespacedConfigMap({
        namespace,
        name: 'informed',
        body: configMap('informed', { a: '2' }),
      })
      await expect.poll(() => heard, PATIENCE).toEqual(['add 1', 'update 2'])
      await core.deleteNamespacedConfigMap({ namespace, name: 'informed' })
      await expect.poll(() => heard, PATIENCE).toEqual(['add 1', 'update 2', 'delete 2'])
      expect(informer.get('informed', namespace)).toBeUndefined()
    })

    it('applies, and is refused what somebody else has applied', async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', ...configMap('applied', { a: '1' }) }
      const apply = (fieldManager: string, value: string, force?: boolean) =>
        core.patchNamespacedConfigMap(
          {
            namespace,
            name: 'applied',
            body: { ...object, data: { a: value } },
            fieldManager,
            ...(force && { force }),
          },
          setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
        )
      const { metadata } = await apply('first', '1')
      expect(metadata?.managedFields?.[0]).toMatchObject({ manager: 'first', operation: 'Apply' })
      await expect(apply('second', '2')).rejects.toMatchObject({ code: 409 })
      expect((await apply('second', '2', true)).data).toEqual({ a: '2' })
    })

    it('handles objects of any kind by what they say of themselves', async () => {
      const objects = KubernetesObjectApi.makeApiClient(config)
      const header = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any', namespace } }
      await objects.create<Data>({ ...header, data: { a: '1' } })
      const read = await objects.read<Data>(header)
      expect(read.data).toEqual({ a: '1' })
      const replaced = await objects.replace<Data>({ ...read, data: { a: '2' } })
      expect(replaced.data).toEqual({ a: '2' })
      const patched = await objects.patch<Data>({ ...header, data: { b: '3' } })
      expect(patched.data).toEqual({ a: '2', b: '3' })
      const { items } = await objects.list<Data>('v1', 'ConfigMap', namespace)
      expect(items.map(({ metadata }) => metadata?.name)).toContain('any')
      await objects.delete(header)
      await expect(objects.read(header)).rejects.toMatchObject({ code: 404 })
    })
  })
}
