import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { SELECTOR_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { describeGatewayBackends } from '../examples/gateway-backends.ts'
import { startRealCluster } from './end-to-end-cluster.ts'
import { notedCluster, startCollectors } from './selector-clusters.ts'

/** Files of the APIs' own modules, which `go mod download` fetches. */
const DEFINITIONS = [
  'sigs.k8s.io/gateway-api-inference-extension@v1.5.0/config/crd/bases/inference.networking.k8s.io_inferencepools.yaml',
  'sigs.k8s.io/gateway-api@v1.7.0/config/crd/experimental/gateway.networking.x-k8s.io_xbackends.yaml',
] as const

const go = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('go', args, { cwd: tmpdir() })).stdout.trim()

async function readDefinition(file: string): Promise<object> {
  const [module = ''] = /^[^@]+@[^/]+/.exec(file) ?? []
  // It fetches a module that needs a newer Go, and fails all the same: then the file is there.
  await go('mod', 'download', module).catch(() => undefined)
  return parse(await readFile(join(await go('env', 'GOMODCACHE'), file), 'utf8'))
}

const noted = notedCluster((name) => startRealCluster(name, SELECTOR_ROLE_FILES))
describeGatewayBackends('kube-apiserver, with the definitions of the APIs', {
  startCluster: noted.start,
  definitions: () => Promise.all(DEFINITIONS.map(readDefinition)),
  startCollectors: () => startCollectors(noted.current()),
})
