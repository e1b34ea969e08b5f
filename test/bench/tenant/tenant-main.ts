import { writeFile } from 'node:fs/promises'
import { createApiClient, loadClusters } from '../../../shared/kubernetes/index.ts'
import { startEmbeddedCluster } from '../../end-to-end/embedded-cluster.ts'
import type { FromTenant, TenantOptions, ToTenant } from './messages.ts'
import { createTenant } from './tenant.ts'

/** The hostile tenant and its cluster, in a process of their own: what they cost is not Sliceflow's. */
const { cluster, kubeconfig }: TenantOptions = JSON.parse(process.argv[2] ?? '')
const report = (message: FromTenant): void => void process.send?.(message)

const { admin } = await startEmbeddedCluster(cluster)
await writeFile(kubeconfig, admin, { mode: 0o600 })
const [connection] = await loadClusters(kubeconfig)
if (connection === undefined) throw new Error('the kubeconfig names no cluster')
const tenant = createTenant(createApiClient(connection))

async function answer(request: ToTenant): Promise<void> {
  if (request.kind === 'attack')
    return report({ kind: 'attacked', counts: await tenant.attack(request.seconds) })
  await tenant.populate()
  report({ kind: 'populated' })
}

process.on('message', (request: ToTenant) => void answer(request))
process.on('disconnect', () => process.exit(0))
report({ kind: 'serving' })
