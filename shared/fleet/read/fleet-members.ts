import {
  type ClusterSet,
  type ClusterSetMember,
  exportsServices,
  holdsImports,
} from '../../cluster-sets/index.ts'
import { type ApiClient, readClusterUid } from '../../kubernetes/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { isRecent } from '../../values/index.ts'
import type { McsVersion } from '../resources.ts'
import { servedVersion } from './find-served.ts'
import type { FleetMembers } from './fleet-state.ts'
import type { FleetCluster } from './read-fleet.ts'

/** A cluster's place in its set is uncertain, so what it exports is unknown. */
export class ClusterSetMemberError extends Error {
  override readonly name = 'ClusterSetMemberError'
}

/** Sorts the clusters of a set by what their roles read and write. */
export const membersByRole = (
  clusters: readonly FleetCluster[],
  refused: FleetMembers['refused'],
): FleetMembers => ({
  importing: clusters.filter(({ member }) => holdsImports(member)),
  exporting: clusters.filter(({ member }) => exportsServices(member)),
  refused,
})

interface FoundMember {
  readonly cluster: FleetCluster
  /** Uid of its namespace `kube-system`, where that may be read. */
  readonly uid: string | undefined
}

/**
 * Finds the clusters of a set, and remembers for a while what they serve.
 * @param clientOf the client of a cluster by its name
 * @param now milliseconds since the epoch
 */
export function createFleetMembers(clientOf: (cluster: string) => ApiClient, now: () => number, logger: Log) {
  const versions = new ClusterAnswers<McsVersion>(now)
  const uids = new ClusterAnswers<string>(now)
  /** Names of clusters that were left out, as another member is the same. */
  const reported = new Set<string>()

  /** Finds a member; undefined where it does not serve the API, and an entry of `refused` where it fails. */
  async function clusterOf(
    member: ClusterSetMember,
    signal: AbortSignal,
  ): Promise<FoundMember | readonly [id: string, error: unknown] | undefined> {
    const { id, problem } = member
    if (problem !== undefined) return [id, new ClusterSetMemberError(problem)]
    const client = clientOf(member.cluster)
    try {
      const version = await versions.of(client, async () => {
        const served = await servedVersion(client, signal)
        return { answer: served, ttlMs: served === undefined ? UNSERVED_TTL_MS : ANSWER_TTL_MS }
      })
      return version && { cluster: { member, client, version }, uid: await uidOf(client, signal) }
    } catch (error) {
      signal.throwIfAborted()
      return [id, error]
    }
  }

  /** Reads the uid of a cluster. One whose uid cannot be read counts as a cluster of its own. */
  async function uidOf(client: ApiClient, signal: AbortSignal): Promise<string | undefined> {
    const isFirst = !uids.has(client)
    const onForbidden = (err: Error): void => {
      if (isFirst) logger.warn({ cluster: client.cluster, err }, UNNAMED)
    }
    try {
      return await uids.of(client, async () => ({
        answer: await readClusterUid(client, { signal, onForbidden }),
        ttlMs: ANSWER_TTL_MS,
      }))
    } catch {
      signal.throwIfAborted()
      // Every other read of the cluster fails as well, and says why.
      return uids.last(client)
    }
  }

  /** Leaves out those that are the same cluster as an earlier one. */
  function distinct(set: string, all: readonly FoundMember[]): FleetCluster[] {
    const isMember = ({ cluster: { member }, uid }: FoundMember): boolean => {
      const same = uid === undefined ? undefined : all.find((each) => each.uid === uid)
      const first = same?.cluster.member ?? member
      if (first === member) {
        reported.delete(member.cluster)
        return true
      }
      if (!reported.has(member.cluster))
        logger.error({ clusterSet: set, cluster: member.cluster, other: first.cluster, uid }, SAME)
      reported.add(member.cluster)
      return false
    }
    return all.filter(isMember).map(({ cluster }) => cluster)
  }

  return {
    /**
     * Finds the members that serve the API, and those for which that is unknown; others are left out. Of two
     * names of one cluster, by the uid of its namespace `kube-system`, the first alone is a member.
     */
    async of({ name, members }: ClusterSet, signal: AbortSignal): Promise<FleetMembers> {
      const answers = await Promise.all(members.map((member) => clusterOf(member, signal)))
      const found = answers.filter((each) => each !== undefined)
      const refused = found.flatMap((each) => ('cluster' in each ? [] : [each]))
      const clusters = found.filter((each) => 'cluster' in each)
      return membersByRole(distinct(name, clusters), new Map(refused))
    },
    /** Forgets the version that a member serves, as a call has shown that it serves another one by now. */
    forgetVersion({ members }: ClusterSet, id: string): void {
      const member = members.find((each) => each.id === id)
      if (member !== undefined) versions.forget(clientOf(member.cluster))
    },
  }
}

const UNNAMED =
  'the namespace kube-system may not be read: a second name of this cluster would not be noticed; to grant get on it, run in that cluster: sliceflow rbac --fleet | kubectl apply -f -'
const SAME = 'two clusters of the set are one: it takes part in the set under the first name alone'

/** A name may lead to another cluster some day, and a version that is served seldom goes. */
const ANSWER_TTL_MS = 300_000
/** A version that is not served may be installed any time. */
const UNSERVED_TTL_MS = 5_000

interface Answered<Answer> {
  readonly answer: Answer | undefined
  readonly ttlMs: number
}

/** Caches what each cluster has answered to one question. */
class ClusterAnswers<Answer> {
  readonly #now: () => number
  readonly #known = new WeakMap<ApiClient, Answered<Answer> & { readonly at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  has = (client: ApiClient): boolean => this.#known.has(client)

  /** Returns the last answer, however old. */
  last = (client: ApiClient): Answer | undefined => this.#known.get(client)?.answer

  async of(client: ApiClient, ask: () => Promise<Answered<Answer>>): Promise<Answer | undefined> {
    const known = this.#known.get(client)
    if (known !== undefined && isRecent(known.at, known.ttlMs, this.#now())) return known.answer
    const answered = await ask()
    this.#known.set(client, { ...answered, at: this.#now() })
    return answered.answer
  }

  forget(client: ApiClient): void {
    this.#known.delete(client)
  }
}
