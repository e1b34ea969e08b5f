import { onTestFinished } from 'vitest'
import { startControllerManager } from './controller-manager.ts'
import type { RealCluster } from './end-to-end-cluster.ts'

type Start = (name: string) => Promise<RealCluster>

/** Starts clusters as it is given, and notes the latest, for tests that need more of it than a scene has. */
export function notedCluster(startCluster: Start): { readonly start: Start; current(): RealCluster } {
  let latest: RealCluster | undefined
  return {
    async start(name) {
      latest = await startCluster(name)
      return latest
    },
    current() {
      if (latest === undefined) throw new Error('no cluster was started')
      return latest
    },
  }
}

/** Starts Kubernetes' garbage collector and controller of namespaces until the test ends. */
export async function startCollectors({ server }: RealCluster): Promise<void> {
  const kubeconfig = server.kubeconfig.path
  const controllers = ['garbage-collector-controller', 'namespace-controller']
  const manager = await startControllerManager({ kubeconfig, controllers })
  onTestFinished(() => manager.stop())
}
