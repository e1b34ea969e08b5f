import { hash } from 'node:crypto'
import {
  type ApiClient,
  type ClusterConnection,
  KubernetesError,
  readClusterUid,
  untilAborted,
} from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import { isRecent } from '../values/index.ts'
import { admittedClient } from './admitted-client.ts'

/** A cluster is the same API server as another one, which is followed under its own name. */
export class SameClusterError extends KubernetesError {
  override readonly name = 'SameClusterError'

  /** Name that is excluded. */
  readonly cluster: string
  /** Name that the cluster is followed under. */
  readonly other: string

  /** @param evidence what both have in common, in words */
  constructor(cluster: string, other: string, evidence: string) {
    super(`clusters "${other}" and "${cluster}" are one cluster: both have ${evidence}`)
    this.cluster = cluster
    this.other = other
  }
}

export type ClusterIdentities = ReturnType<typeof createClusterIdentities>

/** Milliseconds until an excluded cluster is read again. */
const REFUSED_MS = 60_000

interface Identity {
  readonly uid: string | undefined
  /** Digest of address and certificate authority; read only where a cluster has no uid that may be read. */
  readonly address: string | undefined
}

class Entry {
  readonly client: ApiClient
  readonly connection: ClusterConnection
  identity: Identity | undefined
  /** Address of the server when it was last read. */
  server: string | undefined
  /** True from its claim until a call fails. */
  isSure = false
  refusal: { readonly error: SameClusterError; readonly at: number } | undefined
  pending: Promise<void> | undefined
  /** Increased when the name leads to another cluster than before. */
  generation = 0
  known = Promise.withResolvers<string>()

  constructor(client: ApiClient, connection: ClusterConnection) {
    this.client = client
    this.connection = connection
  }

  get name(): string {
    return this.client.cluster
  }
}

interface ClusterIdentitiesOptions {
  readonly logger: Log
  /** Called when a cluster is excluded, as it is watched under another name. */
  readonly onRefused?: ((cluster: string, other: string) => void) | undefined
  /** A clock in milliseconds; default `Date.now`. */
  readonly now?: () => number
}

/**
 * Knows the clusters of one process by who they are, and not by their names:
 * 1. Who a cluster is is read with the first call to it, and again with the call after one that failed, or
 *    before one for which credentials are to tell its address.
 * 2. It is the uid of its namespace `kube-system`; where that may not be read, its address with the
 *    certificate authority.
 * 3. A cluster belongs to the first name that leads to it. Calls by any other name fail.
 */
export function createClusterIdentities({ logger, onRefused, now = Date.now }: ClusterIdentitiesOptions) {
  const entries = new Set<Entry>()
  const byClient = new WeakMap<ApiClient, Entry>()
  /** Entries that were read and are followed, the first one first. */
  const claims = new Set<Entry>()

  /** @throws SameClusterError */
  async function claim(entry: Entry, uid: string | undefined): Promise<void> {
    const areNamed = uid !== undefined && [...claims].every(({ identity }) => identity?.uid !== undefined)
    if (!areNamed) await Promise.all([...claims].map(completed))
    const identity = { uid, address: areNamed ? undefined : await addressOf(entry) }
    if (!entries.has(entry)) return
    const other = [...claims].find((each) => each !== entry && isSame(each.identity, identity))
    if (other === undefined) {
      if (take(entry, identity)) logger.warn({ cluster: entry.name, uid: identity.uid }, CHANGED)
      claims.add(entry)
    } else refuse(entry, new SameClusterError(entry.name, other.name, evidenceOf(identity)))
  }

  async function verify(entry: Entry): Promise<void> {
    const uid = await readUid(entry, logger)
    entry.server = entry.client.address()
    await claim(entry, uid)
  }

  function refuse(entry: Entry, error: SameClusterError): never {
    if (entry.refusal === undefined) {
      logger.error({ cluster: entry.name, other: error.other, err: error }, REFUSED)
      onRefused?.(entry.name, error.other)
    }
    claims.delete(entry)
    entry.refusal = { error, at: now() }
    throw error
  }

  async function settle(entry: Entry): Promise<void> {
    const { refusal } = entry
    if (refusal !== undefined) {
      if (isRecent(refusal.at, REFUSED_MS, now())) throw refusal.error
      const other = [...claims].find(({ name }) => name === refusal.error.other)
      // The other name may lead elsewhere by now; if its server does not answer, it stays the owner.
      if (other !== undefined) await verify(other).catch(() => undefined)
    }
    await verify(entry)
  }

  async function pass(entry: Entry, signal?: AbortSignal): Promise<void> {
    const server = entry.client.address()
    if (entry.isSure && server !== undefined && server === entry.server) return
    entry.pending ??= settle(entry).finally(() => {
      entry.pending = undefined
    })
    await (signal === undefined ? entry.pending : Promise.race([entry.pending, untilAborted(signal)]))
    signal?.throwIfAborted()
  }

  return {
    /** Returns the client with calls that fail while its cluster is followed under another name. */
    admit(client: ApiClient, connection: ClusterConnection): ApiClient {
      const entry = new Entry(client, connection)
      entries.add(entry)
      const admitted = admittedClient(client, {
        pass: (signal) => pass(entry, signal),
        onSuspectIdentity() {
          // The next call reads who the cluster is.
          entry.isSure = false
        },
        generation: () => entry.generation,
        leave() {
          entries.delete(entry)
          claims.delete(entry)
        },
      })
      byClient.set(admitted, entry)
      return admitted
    },
    /**
     * Reads who the clusters are, in the order in which they were admitted; those that do not answer within
     * the time are read with their first call.
     * @returns an error for each that is the same as an earlier one
     */
    async compare(timeoutMs: number): Promise<readonly SameClusterError[]> {
      const signal = AbortSignal.timeout(timeoutMs)
      const reads = [...entries].map(async (entry) => ({ entry, uid: await readUid(entry, logger, signal) }))
      const errors: SameClusterError[] = []
      // One after the other, so that the first one of a list stays.
      for (const read of await Promise.allSettled(reads)) {
        if (read.status === 'rejected') continue
        const { entry, uid } = read.value
        entry.server = entry.client.address()
        await claim(entry, uid).catch(() => undefined)
        if (entry.refusal !== undefined) errors.push(entry.refusal.error)
      }
      return errors
    },
    /** Resolves to a text that names the cluster of a client, of a closed one too, once it is known. */
    of: (client: ApiClient): Promise<string> => byClient.get(client)?.known.promise ?? NEVER,
    /** Returns the excluded clusters, by name. */
    refused: (): ReadonlyMap<string, SameClusterError> =>
      new Map([...entries].flatMap(({ name, refusal }) => (refusal ? [[name, refusal.error] as const] : []))),
  }
}

const NEVER = new Promise<never>(() => undefined)

const readUid = (entry: Entry, logger: Log, signal?: AbortSignal): Promise<string | undefined> =>
  readClusterUid(entry.client, {
    signal,
    onForbidden(err) {
      if (entry.identity === undefined) logger.warn({ cluster: entry.name, err }, UNNAMED)
    },
  })

/** @returns whether the name leads to another cluster than before */
function take(entry: Entry, identity: Identity): boolean {
  const isChanged = entry.identity !== undefined && !isSame(entry.identity, identity)
  if (isChanged) {
    entry.generation += 1
    entry.known = Promise.withResolvers()
  }
  entry.identity = identity
  entry.refusal = undefined
  entry.isSure = true
  entry.known.resolve(identity.uid ?? `address ${identity.address}`)
  return isChanged
}

async function addressOf({ connection }: Entry): Promise<string | undefined> {
  const { server = connection.server, ca, servername, proxy } = await connection.credentials()
  // An address that only the proxy can resolve does not identify a cluster.
  if (ca === undefined && proxy !== undefined) return undefined
  return hash('sha256', JSON.stringify([server.href, String(ca ?? ''), servername ?? '']), 'base64url')
}

/** Adds the address of a cluster to its uid, as it is to be compared with one that has no uid. */
async function completed(entry: Entry): Promise<void> {
  if (entry.identity === undefined || entry.identity.address !== undefined) return
  entry.identity = { ...entry.identity, address: await addressOf(entry).catch(() => undefined) }
}

/** Clusters without a uid are the same where address and certificate authority are. */
function isSame(one: Identity | undefined, other: Identity): boolean {
  if (one === undefined) return false
  if (one.uid !== undefined && other.uid !== undefined) return one.uid === other.uid
  return one.address !== undefined && one.address === other.address
}

const evidenceOf = ({ uid }: Identity): string =>
  uid === undefined ? 'the same address and certificate authority' : `a namespace kube-system of uid ${uid}`

const UNNAMED =
  'the namespace kube-system may not be read: the cluster is distinguished from others by its address and certificate authority alone; to grant get on it, run in that cluster: sliceflow rbac | kubectl apply -f -'
const REFUSED = 'two names lead to one cluster: it is followed under the first one alone'
const CHANGED = 'the name leads to another cluster than before: nothing that was known of that one counts'
