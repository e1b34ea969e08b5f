import { once } from '../../shared/clusters/index.ts'
import type { ClusterSetMember } from '../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type ClientRole,
  type ClusterConnection,
  ConnectionError,
  type Credentials,
  createApiClient,
  probeServer,
  type Resource,
  rbacCommand,
  readClusterUid,
  type ServerProbe,
  within,
} from '../../shared/kubernetes/index.ts'
import { readOnlyClient } from '../../shared/reconciler/index.ts'

/** Time limit of every call, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000

/** Who the server says that we are. */
export interface UserInfo {
  readonly username?: string
  readonly groups?: readonly string[]
}

interface SelfSubjectReview extends ApiObject {
  readonly status?: { readonly userInfo?: UserInfo }
}

/** Answer of an authorizer. */
export interface AccessReview extends ApiObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> }
  readonly status?: { readonly allowed?: boolean; readonly evaluationError?: string }
}

const review = <T extends ApiObject>(group: string, kind: string): Resource<T> => ({
  ...{ group, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, namespaced: false },
})
const SELF_SUBJECT_REVIEWS = review<SelfSubjectReview>('authentication.k8s.io', 'SelfSubjectReview')
const ACCESS_REVIEWS = review<AccessReview>('authorization.k8s.io', 'SelfSubjectAccessReview')

export interface ExaminedClusterOptions {
  /** Command that leads to the cluster, such as `kubectl --context eu-1`. */
  readonly kubectl: string
  /** What it does in its cluster set, where it is in one. */
  readonly fleetRole?: ClusterSetMember['role'] | undefined
  readonly role: ClientRole
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
  /** Reviews are posted, and stored nowhere. */
  readonly #posting: ApiClient

  constructor(
    connection: ClusterConnection,
    { kubectl, fleetRole, role, timeoutMs }: ExaminedClusterOptions,
  ) {
    this.name = connection.name
    this.connection = connection
    this.kubectl = kubectl
    this.fleetRole = fleetRole
    this.#posting = createApiClient(connection, { timeoutMs, role })
    this.client = readOnlyClient(this.#posting)
    this.probe = once(() => probeServer(connection, timeoutMs))
    this.credentials = once(() => credentialsOf(connection, timeoutMs))
    this.uid = once(() => readClusterUid(this.client))
    this.whoAmI = once(async () => {
      const { status } = await this.#posting.create(SELF_SUBJECT_REVIEWS, {})
      return status?.userInfo ?? {}
    })
  }

  /** Asks whether we may do that. @throws KubernetesError */
  review(resourceAttributes: Readonly<Record<string, string>>): Promise<AccessReview> {
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

async function credentialsOf(connection: ClusterConnection, ms: number): Promise<Credentials> {
  const ending = new AbortController()
  try {
    return await within(connection.credentials(ending.signal), {
      ms,
      late: () =>
        new ConnectionError(
          `the credentials of cluster ${connection.name} did not come within ${ms / 1000} s`,
          'ETIMEDOUT',
        ),
    })
  } finally {
    ending.abort()
  }
}
