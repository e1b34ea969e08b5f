import { connect } from 'node:net'
import {
  type ApiObject,
  ConnectionError,
  KubernetesError,
  type Resource,
} from '../../../shared/kubernetes/index.ts'
import { durationText } from '../../terminal/index.ts'
import { type Check, type CheckContext, type Finding, failure, ok, unchecked, warning } from '../check.ts'
import type { ExaminedCluster } from '../examined-cluster.ts'
import { FIRST_MINOR, minorOf, SUPPORTED_MINORS, SUPPORTED_TEXT } from '../supported-versions.ts'

/** A clock that is off by more makes tokens and certificates invalid, in milliseconds. */
const MAX_SKEW_MS = 60_000
/** Certificates that end sooner are warned of, in milliseconds. */
const CERTIFICATE_SOON_MS = 30 * 24 * 3_600_000
/** Whether a silent server listens at all is known within this time, in milliseconds. */
const LISTENING_MS = 2_000

export const CONNECTION_CHECKS: readonly Check[] = [
  { name: 'server', isGate: true, run: reach },
  { name: 'version', run: compareVersion },
  { name: 'clock', run: compareClocks },
  { name: 'server certificate', run: checkCertificate },
]

async function reach({ cluster }: CheckContext): Promise<Finding> {
  // What is wrong with them is none of the server's.
  await cluster.credentials()
  try {
    const { tookMs } = await cluster.probe()
    return ok(`${(await cluster.server()).host} answered within ${Math.ceil(tookMs)} ms`)
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    return failureOf(cluster, error)
  }
}

/** Names what does not answer: a proxy, a server that hangs, or none at all. */
async function failureOf(cluster: ExaminedCluster, error: KubernetesError): Promise<Finding> {
  const { host } = await cluster.server()
  if (!(error instanceof ConnectionError)) return failure(error.message)
  if (isOfProxy(error.cause))
    return failure(
      `the proxy does not answer: ${error.message}`,
      'start the proxy, or correct proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY in the environment',
    )
  if (error.code !== 'ETIMEDOUT') return failure(error.message, adviceOf(error.code, cluster))
  if (await isListening(cluster))
    return failure(
      `the server hangs: ${host} accepts connections and does not answer`,
      `check the API server of ${cluster.name} and the load balancer before it; ${cluster.kubectl} get --raw /livez should answer`,
    )
  return failure(error.message, `check that this machine may reach ${host}: routes, firewalls, VPN`)
}

const isOfProxy = (cause: unknown): boolean =>
  (cause as { readonly proxy?: unknown } | undefined)?.proxy !== undefined

function adviceOf(code: string, { kubectl, connection }: ExaminedCluster): string {
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return 'have certificate-authority-data in the kubeconfig be that of the server: on EKS type aws eks update-kubeconfig --name CLUSTER'
  return `check the server’s address: ${kubectl} config view --minify; it is ${connection.server.origin}`
}

/** A server behind a proxy cannot be asked so. */
async function isListening(cluster: ExaminedCluster): Promise<boolean> {
  const server = await cluster.server()
  const { proxy } = await cluster.credentials()
  if (proxy !== undefined) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: server.hostname.replace(/^\[|\]$/g, ''), port: Number(server.port || 443) })
  socket.setTimeout(LISTENING_MS, () => resolve(false))
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

async function compareVersion({ cluster }: CheckContext): Promise<Finding> {
  const { version, status } = await cluster.probe()
  if (version === undefined) return unchecked(`the server reports no version (HTTP status ${status})`)
  const minor = minorOf(version)
  const tested = `Sliceflow is tested with ${SUPPORTED_TEXT}`
  if (minor === undefined) return warning(`${version} is no version of Kubernetes that is known; ${tested}`)
  if (minor < FIRST_MINOR)
    return failure(
      `${version} has no EndpointSlices of discovery.k8s.io/v1`,
      `upgrade the cluster: ${tested}`,
    )
  if (minor < SUPPORTED_MINORS.oldest)
    return warning(
      `${version} is older than the versions that are supported: ${tested}`,
      'upgrade the cluster',
    )
  if (minor > SUPPORTED_MINORS.newest)
    return warning(
      `${version} is newer than the versions that are supported: ${tested}`,
      'upgrade Sliceflow: npm install sliceflow@latest',
    )
  return ok(`${version}; ${tested}`)
}

async function compareClocks({ cluster, now }: CheckContext): Promise<Finding> {
  const asked = now()
  const { date } = await cluster.probe()
  if (date === undefined) return unchecked('the server reports no time (no header Date)')
  // The header has seconds; the probe may have been made by an earlier check.
  const skew = asked - date
  if (Math.abs(skew) < MAX_SKEW_MS) return ok('this machine’s clock and the server’s agree')
  const way = skew > 0 ? 'ahead of' : 'behind'
  return warning(
    `this machine’s clock is ${durationText(Math.abs(skew))} ${way} the server’s: tokens and certificates may seem expired, or not valid yet`,
    'set the clock: timedatectl set-ntp true, on the one that is wrong',
  )
}

async function checkCertificate({ cluster, now }: CheckContext): Promise<Finding> {
  const { certificateExpiry, isVerified } = await cluster.probe()
  const { rejectUnauthorized } = await cluster.credentials()
  if (rejectUnauthorized === false && !isVerified)
    return warning(
      'the server’s certificate is not verified: a machine in between could read and change everything',
      'take insecure-skip-tls-verify out of the kubeconfig, and give its certificate-authority-data',
    )
  if (certificateExpiry === undefined) return unchecked('the server’s certificate is not known')
  const left = certificateExpiry - now()
  const until = new Date(certificateExpiry).toISOString()
  if (left > CERTIFICATE_SOON_MS) return ok(`verified, and valid until ${until}`)
  return warning(
    `the server’s certificate ends in ${durationText(left)} (${until}): nothing reaches the server after that`,
    'have it renewed: kubeadm certs renew apiserver, where the cluster is made by kubeadm',
  )
}

const FLOW_SCHEMAS: Resource<ApiObject> = {
  ...{ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema' },
  ...{ plural: 'flowschemas', namespaced: false },
}
/** It has what no other one matches, and next to no share of the server. */
const CATCH_ALL = 'catch-all'

/** How the server ranks our requests. */
export const PRIORITY_CHECKS: readonly Check[] = [{ name: 'priority', run: findFlowSchema }]

async function findFlowSchema({ cluster }: CheckContext): Promise<Finding> {
  const { flowSchema } = await cluster.probe()
  if (flowSchema === undefined) return ok('the server has no API priority and fairness')
  const { items } = await cluster.client.list(FLOW_SCHEMAS, { metadataOnly: true })
  const name = items.find(({ metadata }) => metadata?.uid === flowSchema)?.metadata?.name
  if (name === undefined) return unchecked(`the FlowSchema of our requests is not listed (uid ${flowSchema})`)
  if (name !== CATCH_ALL) return ok(`our requests are of the FlowSchema ${name}`)
  const { username = '' } = await cluster.whoAmI()
  return warning(
    `no FlowSchema matches ${username}: our requests fall into ${CATCH_ALL}, which a busy server refuses first`,
    `make a FlowSchema that gives ${username} the level workload-low: ${cluster.kubectl} explain flowschema.spec; https://kubernetes.io/docs/concepts/cluster-administration/flow-control/`,
  )
}
