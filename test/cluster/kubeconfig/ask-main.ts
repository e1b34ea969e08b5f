import module from 'node:module'
import { argv, env, exit, stdout } from 'node:process'

// Before all else, as the command does: it is started for each row of the table.
module.enableCompileCache()
const { kubeconfigFiles } = await import('../../../cli/options/kubeconfig.ts')
const { createApiClient, loadClusters } = await import('../../../shared/kubernetes/index.ts')

/** Asks the current context's server for its version, as `kubectl get --raw /version` does. */
const [, , file, timeoutMs = '20000'] = argv
try {
  const [connection] = await loadClusters(file ? [file] : kubeconfigFiles(env))
  if (connection === undefined) throw new Error('no cluster')
  await createApiClient(connection, { timeoutMs: Number(timeoutMs) }).read('/version')
  exit(0)
} catch (error) {
  stdout.write(String(error))
  exit(1)
}
