import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { derivedServiceName } from '../../../shared/fleet/index.ts'
import { type FleetScene, openFleetScene, untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import { useRealFleet } from '../real-fleet.ts'
import { type CoreDns, ensureCoreDns, startCoreDns } from './core-dns.ts'
import { ensureKubeProxy, type ProxiedPort, proxiedPorts } from './kube-proxy.ts'

/** Time limit of the first run on a machine, which builds both programs. */
const BUILD_TIMEOUT_MS = 900_000

beforeAll(async () => {
  await ensureCoreDns()
  await ensureKubeProxy()
}, BUILD_TIMEOUT_MS)
const fleet = useRealFleet(['first', 'second'])
const kubeconfigOf = (name: string): string => fleet.serverOf(name).server.kubeconfig.path

async function openScene(): Promise<FleetScene> {
  const scene = await openFleetScene(fleet.clusters)
  await scene.start()
  return scene
}

describe('CoreDNS', () => {
  async function ask(name: string): Promise<CoreDns> {
    const dns = await startCoreDns(kubeconfigOf(name))
    onTestFinished(() => dns.stop())
    return dns
  }

  it('answers with the clusterset IPs of its own cluster and with a port, and keeps cluster.local apart', async () => {
    const scene = await openScene()
    const [first, second] = [scene.member('first'), scene.member('second')]
    await first.addService({}, ['10.1.0.1'])
    await first.addExport()
    await untilImported(scene.members, ['first/10.1.0.1'])
    const host = `hello.${scene.namespace}.svc`
    for (const [name, member] of [
      ['first', first],
      ['second', second],
    ] as const) {
      const dns = await ask(name)
      const [ip, ip6] = (await member.imported())?.spec?.ips ?? []
      await until(() => dns.addresses(`${host}.clusterset.local`)).toEqual([ip])
      expect(await dns.addresses(`${host}.clusterset.local`, 'AAAA')).toEqual([ip6])
      expect(await dns.services(`_tcp._tcp.${host}.clusterset.local`)).toEqual([
        `${host}.clusterset.local:42`,
      ])
      expect(await dns.addresses(`first.${host}.clusterset.local`)).toBe('ENOTFOUND')
      const local = await dns.addresses(`${host}.cluster.local`)
      if (name === 'second') expect(local).toBe('ENOTFOUND')
      else expect(local).not.toEqual([ip])
    }
    await first.removeExport()
    const dns = await ask('second')
    await until(() => dns.addresses(`${host}.clusterset.local`)).toBe('ENOTFOUND')
  })

  it('answers with all ready endpoints of a headless Service, and with each by its name and cluster', async () => {
    const scene = await openScene()
    const [first, second] = [scene.member('first'), scene.member('second')]
    const pod = (address: string, hostname: string, ready = true) => ({
      addresses: [address],
      hostname,
      conditions: { ready },
    })
    await first.addService({ clusterIP: 'None' })
    await first.publish([pod('10.1.0.1', 'hello-0'), pod('10.1.0.2', 'hello-1')])
    await second.addService({ clusterIP: 'None' })
    await second.publish([pod('10.2.0.1', 'hello-0'), pod('10.2.0.2', 'hello-1', false)])
    await first.addExport()
    await second.addExport()
    await untilImported(scene.members, ['first/10.1.0.1', 'first/10.1.0.2', 'second/10.2.0.1'])
    const host = `hello.${scene.namespace}.svc.clusterset.local`
    for (const name of ['first', 'second']) {
      const dns = await ask(name)
      await until(() => dns.addresses(host)).toEqual(['10.1.0.1', '10.1.0.2', '10.2.0.1'])
      expect(await dns.addresses(`hello-0.first.${host}`)).toEqual(['10.1.0.1'])
      expect(await dns.addresses(`hello-0.second.${host}`)).toEqual(['10.2.0.1'])
      // An endpoint that is not ready has no name.
      expect(await dns.addresses(`hello-1.second.${host}`)).toBe('ENOTFOUND')
      expect(await dns.services(`_tcp._tcp.${host}`)).toEqual([
        `hello-0.first.${host}:8042`,
        `hello-0.second.${host}:8042`,
        `hello-1.first.${host}:8042`,
      ])
    }
  })
})

describe('kube-proxy', () => {
  interface Syncs {
    readonly scene: FleetScene
    /** Returns what a node of the cluster does with a port of the derived Service. */
    derived(cluster: string, port: string): Promise<ProxiedPort | undefined>
  }

  async function openLooks(): Promise<Syncs> {
    const scene = await openScene()
    const service = derivedServiceName(scene.namespace, 'hello')
    return {
      scene,
      async derived(cluster, port) {
        const ports = await proxiedPorts(kubeconfigOf(cluster), scene.namespace)
        return ports[`${scene.namespace}/${service}:${port}`]
      },
    }
  }

  it('sends the clusterset IP of its cluster to the pods of all clusters, each by its own target port', async () => {
    const { scene, derived } = await openLooks()
    const [first, second] = [scene.member('first'), scene.member('second')]
    const ports = (targetPort: number) => [{ name: 'tcp', port: 42, protocol: 'TCP', targetPort }]
    const affinity = {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    }
    await first.addService({ ports: ports(8042), ...affinity }, ['10.1.0.1', '10.1.0.2'])
    await second.addService({ ports: ports(9042), ...affinity }, ['10.2.0.1'])
    await first.addExport()
    await second.addExport()
    await untilImported(scene.members, ['first/10.1.0.1', 'first/10.1.0.2', 'second/10.2.0.1'])
    for (const member of ['first', 'second']) {
      const ips = async () => (await scene.member(member).imported())?.spec?.ips ?? []
      await until(ips).not.toEqual([])
      const [ip] = await ips()
      expect(await derived(member, 'tcp')).toEqual({
        address: `${ip}:42/TCP`,
        affinity: 'ClientIP',
        stickySeconds: 10,
        endpoints: ['10.1.0.1:8042', '10.1.0.2:8042', '10.2.0.1:9042'],
      })
    }
    const local = await proxiedPorts(kubeconfigOf('second'), scene.namespace)
    expect(local[`${scene.namespace}/hello:tcp`]?.endpoints).toEqual(['10.2.0.1:9042'])
  })

  it('sends a port to what a policy has published: own endpoints, those of others where they fail or lack the port', async () => {
    const { scene, derived } = await openLooks()
    const [first, second] = [scene.member('first'), scene.member('second')]
    const tcp = (targetPort: number) => ({ name: 'tcp', port: 42, protocol: 'TCP', targetPort })
    const admin = { name: 'admin', port: 90, protocol: 'TCP', targetPort: 9090 }
    await first.addService({ ports: [tcp(8042)] }, ['10.1.0.1', '10.1.0.2'])
    await first.addExport()
    await first.annotateExport({ 'sliceflow.dev/fleet-policy': '{"prefer":"own","weights":{"second":50}}' })
    await untilImported(scene.members, ['first/10.1.0.1', 'first/10.1.0.2'])
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await second.addService({ ports: [tcp(9042), admin] }, ['10.2.0.1', '10.2.0.2'])
    await second.addExport()
    const endpointsOf = async (cluster: string, port: string) =>
      (await derived(cluster, port))?.endpoints ?? []
    await until(() => endpointsOf('second', 'tcp')).toEqual(['10.2.0.1:9042', '10.2.0.2:9042'])
    await until(() => endpointsOf('first', 'admin')).toEqual([expect.stringMatching(/^10\.2\.0\.[12]:9090$/)])
    expect(await endpointsOf('first', 'tcp')).toEqual(['10.1.0.1:8042', '10.1.0.2:8042'])

    const starting = { ready: false }
    await first.publish([
      { addresses: ['10.1.0.1'], conditions: starting },
      { addresses: ['10.1.0.2'], conditions: starting },
    ])
    await until(() => endpointsOf('first', 'tcp')).toEqual([expect.stringMatching(/^10\.2\.0\.[12]:9042$/)])
    await first.publish(['10.1.0.1', '10.1.0.2'])
    await until(() => endpointsOf('first', 'tcp')).toEqual(['10.1.0.1:8042', '10.1.0.2:8042'])
  })
})
