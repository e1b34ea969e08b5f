import { parse } from 'yaml'
import {
  type Authorize,
  type ControllerName,
  createControlPlane,
  type RequestAttributes,
} from '../../shared/control-plane/index.ts'
import { kubeconfigText } from '../support/kubeconfig.ts'
import { SLICEFLOW_TOKEN, SLICEFLOW_USER, type TestCluster } from './cluster.ts'
import { type ClusterRole, readRoles, withoutPods } from './cluster-role.ts'

/** Subjects that the suites' user stands for: itself, and its operator. */
const USER_NAMES = [SLICEFLOW_USER, 'sliceflow-operators']

const DISCOVERY = /^\/(?:version|apis?)(?:\/|$)/

export interface EmbeddedClusterOptions {
  /** Files of infra/rbac, what Sliceflow's user may do; default: reconcile. */
  readonly roleFile?: string | readonly string[]
  /** Whether it serves CustomResourceDefinitions; default: no. */
  readonly crds?: boolean
  /** Controllers that it runs; default: those of the control plane. */
  readonly controllers?: readonly ControllerName[]
  /** Folder where objects and certificates outlive it; default: in memory. */
  readonly dataDir?: string
  /** Default: any free one. */
  readonly port?: number
  /** CIDR blocks of Services' addresses; default: those of the control plane. */
  readonly serviceRanges?: readonly string[] | undefined
  /** Called with every request of that user. */
  readonly onRequest?: (attributes: RequestAttributes) => void
}

/** Starts an embedded control plane that enforces the ClusterRole as the real server's RBAC does. */
export async function startEmbeddedCluster(
  name: string,
  {
    roleFile,
    crds = false,
    controllers,
    dataDir,
    port = 0,
    serviceRanges,
    onRequest,
  }: EmbeddedClusterOptions = {},
): Promise<TestCluster> {
  const { roles, bindings } = await readRoles(roleFile)
  const bound = new Set(
    bindings
      .filter(({ subjects }) => subjects.some(({ name: subject }) => USER_NAMES.includes(subject)))
      .map(({ roleRef }) => roleRef.name),
  )
  const own = roles.filter(({ metadata }) => bound.has(metadata.name))
  let granted = own
  const authorize: Authorize = (attributes) => {
    if (attributes.user.username === SLICEFLOW_USER) onRequest?.(attributes)
    return attributes.user.groups.includes('system:masters') || isGranted(granted, attributes)
  }
  const controlPlane = await createControlPlane({
    apis: { crds, ...(serviceRanges && { serviceRanges }) },
    ...(controllers && { controllers }),
    storage: dataDir === undefined ? {} : { dataDir },
    authentication: { tokens: { [SLICEFLOW_TOKEN]: { username: SLICEFLOW_USER, groups: [] } } },
    authorization: authorize,
  })
  await controlPlane.listen({ port })
  const { server, authority, certificate, key } = readKubeconfig(controlPlane.kubeconfig)
  const kubeconfig = (user: Parameters<typeof kubeconfigText>[0][number]['user']): string =>
    kubeconfigText([{ name, server, authority, user }])
  return {
    admin: kubeconfig({ certificate, key }),
    user: kubeconfig({ token: SLICEFLOW_TOKEN }),
    async setPodsReadable(readable) {
      granted = readable ? own : own.map(withoutPods)
    },
    stop: () => controlPlane.close(),
  }
}

function isGranted(roles: readonly ClusterRole[], attributes: RequestAttributes): boolean {
  const { group, resource, subresource, verb, user } = attributes
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`
  if (user.username !== SLICEFLOW_USER) return false
  // To everybody by the role system:discovery.
  if (resource === '' && DISCOVERY.test(attributes.path)) return true
  return roles
    .flatMap(({ rules }) => rules)
    .some(
      ({ apiGroups, resources, resourceNames, verbs }) =>
        apiGroups.includes(group) &&
        resources.includes(wanted) &&
        verbs.includes(verb) &&
        (resourceNames?.includes(attributes.name) ?? true),
    )
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }]
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }]
}

function readKubeconfig(text: string) {
  const { clusters, users } = parse(text) as Kubeconfig
  const [{ cluster }] = clusters
  const [{ user }] = users
  const decode = (data = ''): string => Buffer.from(data, 'base64').toString('utf8')
  return {
    server: cluster.server ?? '',
    authority: decode(cluster['certificate-authority-data']),
    certificate: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  }
}
