import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { serverOf, withServer } from '../../support/kubeconfig.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { type RealCluster, startRealCluster } from '../end-to-end-cluster.ts'

/** Starts a real cluster for the tests of one file. The function returns it once they run. */
export function useCluster(): () => RealCluster {
  let cluster: RealCluster | undefined
  beforeAll(async () => {
    cluster = await startRealCluster('faulty')
  })
  afterAll(() => cluster?.stop())
  return () => {
    if (cluster === undefined) throw new Error('the cluster is there within tests only')
    return cluster
  }
}

/** A way to the cluster of a test's own, and what a kubeconfig must say to take it. */
interface Way<T> {
  readonly proxy: T
  readonly kubeconfig: string
}

/** Opens a proxy that can harm single requests. */
export async function openFaultyWay({ user, server }: RealCluster): Promise<Way<FaultProxy>> {
  const proxy = await startFaultProxy({ server: new URL(server.url), authority: server.authority })
  onTestFinished(() => proxy.close())
  return { proxy, kubeconfig: withServer(user, proxy.url, proxy.authority) }
}

/** Opens a proxy that can be shut. */
export async function openDoor({ user }: RealCluster): Promise<Way<TcpProxy>> {
  const { hostname, port } = serverOf(user)
  const proxy = await startTcpProxy({ target: { hostname, port: Number(port) } })
  onTestFinished(() => proxy.close())
  return { proxy, kubeconfig: withServer(user, `https://127.0.0.1:${proxy.port}`) }
}
