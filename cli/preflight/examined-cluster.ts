import type { ClusterSetMember } from '../../shared/cluster-sets/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type ClusterConnection,
  type Credentials,
  createApiClient,
  loadCredentials,
  NODES,
  probeServer,
  type Resource,
  rbacCommand,
  readClusterUid,
  type ServerProbe,
} from '../../shared/kubernetes/index.ts'
import { readOnlyClient } from '../../shared/reconciler/index.ts'
import { isCidr, type Settings } from '../../shared/settings/index.ts'
import { type Inventory, readInventory } from '../inventory/read-inventory.ts'

/** Time limit of every call, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000

/** Who the server says that we are. */
interface UserInfo {
  readonly username?: string
  readonly groups?: readonly string[]
}

interface SelfSubjectReview extends ApiObject {
  readonly status?: { readonly userInfo?: UserInfo }
}

interface AccessReview extends ApiObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string | undefined>> }
  readonly status?: { readonly allowed?: boolean; readonly evaluationError?: string }
}

const review = <T extends ApiObject>(group: string, kind: string): Resource<T> => ({
  ...{ group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: false },
})
const SELF_SUBJECT_REVIEWS = review<SelfSubjectReview>('authentication.k8s.io', 'SelfSubjectReview')
const ACCESS_REVIEWS = review<AccessReview>('authorization.k8s.io', 'SelfSubjectAccessReview')

interface ExaminedClusterOptions {
  /** Command that leads to the cluster, such as `kubectl --context eu-1`. */
  readonly kubectl: string
  readonly fleetRole?: ClusterSetMember['role'] | undefined
  readonly settings: Settings
  /** Time limit of every call, in milliseconds. */
  readonly timeoutMs: number
}

/** A cluster and what was read of it: each fact once, however many checks want it. */
export class ExaminedCluster {
  readonly name: string
  readonly connection: ClusterConnection
  readonly kubectl: string
  readonly fleetRole: ClusterSetMember['role'] | undefined
  /** Writes nothing. */
  readonly client: ApiClient
  readonly probe: () => Promise<ServerProbe>
  readonly credentials: () => Promise<Credentials>
  readonly whoAmI: () => Promise<UserInfo>
  readonly uid: () => Promise<string | undefined>
  readonly inventory: () => Promise<Inventory>
  /** Ranges of addresses that nodes give to Pods, in CIDR form. */
  readonly podRanges: () => Promise<readonly string[]>
  /** Reviews are posted, and stored nowhere. */
  readonly #posting: ApiClient

  constructor(
    connection: ClusterConnection,
    { kubectl, fleetRole, settings, timeoutMs }: ExaminedClusterOptions,
  ) {
    this.name = connection.name
    this.connection = connection
    this.kubectl = kubectl
    this.fleetRole = fleetRole
    const role = settings.shadow ? 'read-only' : 'function'
    this.#posting = createApiClient(connection, { timeoutMs, role })
    this.client = readOnlyClient(this.#posting)
    this.probe = remembered(() => probeServer(connection, timeoutMs))
    this.credentials = remembered(() => loadCredentials(connection, timeoutMs))
    this.uid = remembered(() => readClusterUid(this.client))
    this.inventory = remembered(() => readInventory(this.client, settings))
    this.podRanges = remembered(() => podRangesOf(this.client))
    this.whoAmI = remembered(async () => {
      const { status } = await this.#posting.create(SELF_SUBJECT_REVIEWS, {})
      return status?.userInfo ?? {}
    })
  }

  /** Returns the address, which may come with the credentials. */
  async server(): Promise<URL> {
    const { server } = await this.credentials().catch(() => ({ server: undefined }))
    return server ?? this.connection.server
  }

  /** Asks whether we may do that. @throws KubernetesError */
  review(resourceAttributes: Readonly<Record<string, string | undefined>>): Promise<AccessReview> {
    return this.#posting.create(ACCESS_REVIEWS, { spec: { resourceAttributes } })
  }

  /** Returns the command that grants us the roles of these flags. */
  async grant(flags: readonly string[]): Promise<string> {
    const { username } = await this.whoAmI().catch((): UserInfo => ({}))
    return rbacCommand(flags, username, this.kubectl)
  }

  close(): void {
    this.#posting.close()
  }
}

/** Returns a function that works once and caches the result, or the error, so that no check waits twice. */
function remembered<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface NodeRanges extends ApiObject {
  readonly spec?: { readonly podCIDR?: unknown; readonly podCIDRs?: readonly unknown[] }
}

async function podRangesOf(client: ApiClient): Promise<readonly string[]> {
  const ranges = new Set<string>()
  for await (const { items } of client.pages(NODES as Resource<NodeRanges>)) {
    for (const { spec } of items)
      for (const range of [spec?.podCIDR, ...(spec?.podCIDRs ?? [])])
        if (typeof range === 'string' && isCidr(range)) ranges.add(range)
  }
  return [...ranges]
}
