import { writeFile } from 'node:fs/promises'
import { createApiClient, loadClusters } from '../../../shared/kubernetes/index.ts'
import { startEmbeddedCluster } from '../../end-to-end/embedded-cluster.ts'
import { forkedOptions, serveFunctions } from '../forked.ts'
import { createTenant } from './tenant.ts'

export interface TenantOptions {
  readonly cluster: string
  /** A file to write. */
  readonly kubeconfig: string
}

/** The hostile tenant and its cluster, in a process of their own: what they cost is not Sliceflow's. */
const { cluster, kubeconfig } = forkedOptions<TenantOptions>()
const { admin } = await startEmbeddedCluster(cluster)
await writeFile(kubeconfig, admin, { mode: 0o600 })
const [connection] = await loadClusters(kubeconfig)
if (connection === undefined) throw new Error('the kubeconfig names no cluster')
/** Long enough for a crowded machine, on which the tenant gives way to all others. */
const TIMEOUT_MS = 120_000
const client = createApiClient(connection, { timeoutMs: TIMEOUT_MS })
const functions = { serving: () => undefined, ...createTenant(client) }
serveFunctions(functions)
export type TenantFunctions = typeof functions
