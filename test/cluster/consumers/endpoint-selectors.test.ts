import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { LABEL_ENDPOINT_SELECTOR_NAME, LABEL_HEADLESS } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { SELECTOR_ROLE_FILES } from '../../end-to-end/cluster-role.ts'
import { type Scene, until } from '../../end-to-end/scene.ts'
import {
  addSelector,
  defineEndpointSelectors,
  openPublished,
  podsOf,
  slicesOf,
} from '../../end-to-end/selector-scene.ts'
import { useCluster } from '../../end-to-end/use-cluster.ts'
import { startRealCluster } from '../end-to-end-cluster.ts'
import { notedCluster } from '../selector-clusters.ts'
import { ensureCoreDns, startCoreDns } from './core-dns.ts'
import { ensureKubeProxy, runProxy } from './kube-proxy.ts'

/** Time limit of the first run on a machine, which builds both programs. */
const BUILD_TIMEOUT_MS = 900_000
const SPEC = { selector: { matchLabels: { app: 'web' } }, ports: [{ name: 'http', targetPort: 8080 }] }

const noted = notedCluster((name) => startRealCluster(name, SELECTOR_ROLE_FILES))
const cluster = useCluster(noted.start)
const kubeconfig = (): string => noted.current().server.kubeconfig.path

beforeAll(async () => {
  await ensureCoreDns()
  await ensureKubeProxy()
  await defineEndpointSelectors(cluster().client)
}, BUILD_TIMEOUT_MS)

/** Adds a copy of the slice of the EndpointSelector with other labels, as others might write it. */
async function addCopy(scene: Scene, labels: Readonly<Record<string, string>>): Promise<void> {
  const { client, namespace } = scene
  const [slice] = await slicesOf(scene)
  if (slice === undefined) throw new Error('there is no slice to copy')
  const own = { [LABEL_ENDPOINT_SELECTOR_NAME]: 'copy', ...labels }
  await client.create(ENDPOINT_SLICES, { ...slice, metadata: { name: 'copy', namespace, labels: own } })
}

it('kube-proxy sees no slice of an EndpointSelector, makes no rule of it and logs nothing', async () => {
  const scene = await openPublished(cluster, { spec: SPEC })
  await scene.addService('web', { ports: [{ name: 'http', port: 80, targetPort: 8080 }] })
  await until(async () =>
    (await scene.slices('web')).flatMap(({ endpoints }) => endpoints ?? []),
  ).toHaveLength(2)
  const { ports, log } = await runProxy(kubeconfig(), scene.namespace)
  expect(log).toBe('')
  expect(Object.keys(ports)).toEqual([`${scene.namespace}/web:http`])
  expect(Object.values(ports).map(({ endpoints }) => endpoints)).toEqual([['10.1.0.0:8080', '10.1.0.1:8080']])

  // Without the label that marks it as headless each node would log the slice at each of its changes.
  await addCopy(scene, {})
  const copied = await runProxy(kubeconfig(), scene.namespace)
  expect(copied.log).toContain('Error getting endpoint slice cache keys')
  expect(copied.ports).toEqual(ports)
  await scene.client.delete(ENDPOINT_SLICES, { namespace: scene.namespace, name: 'copy' })
  await addCopy(scene, { [LABEL_HEADLESS]: '' })
  expect((await runProxy(kubeconfig(), scene.namespace)).log).toBe('')
})

/**
 * Opens a scene where a headless Service `db` takes the Pods of an EndpointSelector `web`, and another
 * EndpointSelector a Pod that no Service takes.
 */
async function openNamed(): Promise<Scene> {
  const scene = await openPublished(cluster, { spec: SPEC })
  await scene.addService('db', { spec: { clusterIP: 'None' }, selector: { app: 'web' } })
  await scene.addPods(['api-1'], { labels: { app: 'api' } })
  await addSelector(scene, { selector: { matchLabels: { app: 'api' } } }, { name: 'api' })
  await until(() => podsOf(scene, 'api')).toEqual(['api-1'])
  return scene
}

it('CoreDNS that leaves their slices out by its option labels answers as if there were none', async () => {
  const scene = await openNamed()
  const host = `${scene.namespace}.svc.cluster.local`
  const labels = `!${LABEL_ENDPOINT_SELECTOR_NAME}`
  const dns = await startCoreDns(kubeconfig(), { isMember: false, labels })
  onTestFinished(() => dns.stop())
  await until(() => dns.addresses(`db.${host}`)).toEqual(['10.1.0.0', '10.1.0.1'])
  await until(() => dns.names('10.1.0.0')).toEqual([`10-1-0-0.db.${host}`])
  expect(await dns.addresses(`web.${host}`)).toBe('ENOTFOUND')
  expect(await dns.names('10.1.0.2')).toBe('ENOTFOUND')
})

it('CoreDNS without it answers every name as ever, and no reverse look-up of their Pods', async () => {
  const scene = await openNamed()
  const host = `${scene.namespace}.svc.cluster.local`
  const dns = await startCoreDns(kubeconfig(), { isMember: false })
  onTestFinished(() => dns.stop())
  await until(() => dns.addresses(`db.${host}`)).toEqual(['10.1.0.0', '10.1.0.1'])
  expect(await dns.addresses(`web.${host}`)).toBe('ENOTFOUND')
  // It makes a name with an empty label of a slice without a Service, which no message can hold.
  for (const address of ['10.1.0.0', '10.1.0.2']) await until(() => dns.names(address)).toBe('ETIMEOUT')
})
