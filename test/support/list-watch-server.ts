import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { certificateAuthority } from '../../shared/control-plane/index.ts'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { listenLocally } from './local-server.ts'

/** The objects of one kind, as JSON texts that may be made when they are asked for. */
export interface ObjectTexts {
  readonly length: number
  text(index: number): string
}

/** A cluster as the server knows it. */
export interface ServedCluster {
  /** Returns the objects of a kind by its plural name; undefined: there are none. */
  objects(plural: string): ObjectTexts | undefined
  readonly resourceVersion: () => number
}

/** Address and credentials by which a process reaches the server's clusters. */
export interface ServerAddress {
  readonly port: number
  readonly ca: string
}

/**
 * Lists and watches of many clusters behind one https port, and no more: a tenth of what the embedded control
 * plane costs, for measurements of those who watch. A list comes in pages that go on from an index. Of a
 * cluster's namespaces there is one, by which it is known.
 */
export interface ListWatchServer {
  readonly address: ServerAddress
  /** Sends lines to those who watch the kind; false while what was sent before is not yet taken. */
  send(cluster: string, plural: string, lines: string): boolean
  /** Ends every connection, and refuses or takes new ones from now on. */
  setDown(isDown: boolean): void
  /** Returns how many lists of one kind there have been. */
  lists(cluster: string, plural: string): number
  watchers(cluster: string): number
  close(): Promise<void>
}

export const watchLine = (type: string, objectText: string): string =>
  `{"type":"${type}","object":${objectText}}\n`

export function connectionTo(cluster: string, { port, ca }: ServerAddress): ClusterConnection {
  return {
    name: cluster,
    server: new URL(`https://127.0.0.1:${port}/clusters/${cluster}`),
    credentials: async () => ({ headers: {}, ca }),
  }
}

const BOOKMARK_MS = 30_000
const SYSTEM_NAMESPACE = 'kube-system'
const systemNamespace = (uid: string): string =>
  JSON.stringify({ kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE, uid } })

/** @param clusterOf undefined for a cluster that takes requests and never answers */
export async function startListWatchServer(
  clusterOf: (name: string) => ServedCluster | undefined,
): Promise<ListWatchServer> {
  const authority = await certificateAuthority()
  const { certificate, key } = await authority.server(['127.0.0.1'])
  const watches = new Map<string, Set<ServerResponse>>()
  const lists = new Map<string, number>()
  let isDown = false

  const server = createServer({ cert: certificate, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://server')
    const [, , cluster = '', ...rest] = pathname.split('/')
    const plural = rest.at(-1) ?? ''
    const name = `${cluster} ${plural}`
    const served = clusterOf(cluster)
    if (served === undefined) return
    if (searchParams.get('watch') === 'true') return watch(name, response)
    if (plural === SYSTEM_NAMESPACE) return void response.end(systemNamespace(cluster))
    lists.set(name, (lists.get(name) ?? 0) + 1)
    response.end(listPage(served, plural, searchParams))
  })
  server.on('connection', (socket: Socket) => {
    if (isDown) socket.destroy()
  })
  const bookmarks = setInterval(() => {
    for (const [name, responses] of watches) {
      const resourceVersion = String(clusterOf(name.split(' ')[0] ?? '')?.resourceVersion())
      const line = watchLine('BOOKMARK', JSON.stringify({ metadata: { resourceVersion } }))
      for (const response of responses) response.write(line)
    }
  }, BOOKMARK_MS)
  const { port, cut, close } = await listenLocally(server)

  function watch(name: string, response: ServerResponse): void {
    const responses = watches.get(name) ?? new Set()
    watches.set(name, responses.add(response))
    response.on('close', () => responses.delete(response))
    response.writeHead(200).flushHeaders()
  }

  return {
    address: { port, ca: authority.certificate },
    send(cluster, plural, lines) {
      let isTaken = true
      for (const response of watches.get(`${cluster} ${plural}`) ?? [])
        isTaken = response.write(lines) && isTaken
      return isTaken
    },
    setDown(down) {
      isDown = down
      if (down) cut()
    },
    lists: (cluster, plural) => lists.get(`${cluster} ${plural}`) ?? 0,
    watchers: (cluster) =>
      [...watches].reduce((sum, [name, { size }]) => sum + (name.startsWith(`${cluster} `) ? size : 0), 0),
    async close() {
      clearInterval(bookmarks)
      await close()
    },
  }
}

function listPage(cluster: ServedCluster, plural: string, query: URLSearchParams): string {
  const objects = cluster.objects(plural) ?? { length: 0, text: () => '' }
  const start = Number(query.get('continue') ?? 0)
  const end = Math.min(objects.length, start + Number(query.get('limit') ?? objects.length))
  const texts = Array.from({ length: Math.max(0, end - start) }, (_, index) => objects.text(start + index))
  const metadata = {
    resourceVersion: String(cluster.resourceVersion()),
    ...(end < objects.length && { continue: String(end) }),
  }
  return `{"kind":"List","metadata":${JSON.stringify(metadata)},"items":[${texts.join(',')}]}`
}

/** Objects that are put and removed one by one; each change goes to the watches. */
export interface MemoryCluster extends ServedCluster {
  put(plural: string, object: MemoryObject): void
  remove(plural: string, object: MemoryObject): void
}

interface MemoryObject {
  readonly metadata?: { readonly namespace?: string; readonly name?: string }
}

/** @param send to those who watch the cluster */
export function createMemoryCluster(send: (plural: string, line: string) => void): MemoryCluster {
  const kinds = new Map<string, Map<string, string>>()
  let version = 1
  const keyOf = ({ metadata }: MemoryObject): string => `${metadata?.namespace}/${metadata?.name}`
  const textOf = (object: MemoryObject): string =>
    JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } })
  const objectsOf = (plural: string): Map<string, string> => {
    const objects = kinds.get(plural) ?? new Map<string, string>()
    kinds.set(plural, objects)
    return objects
  }
  return {
    objects(plural) {
      const texts = [...objectsOf(plural).values()]
      return { length: texts.length, text: (index) => texts[index] ?? '' }
    },
    resourceVersion: () => version,
    put(plural, object) {
      const text = textOf(object)
      const isNew = !objectsOf(plural).has(keyOf(object))
      objectsOf(plural).set(keyOf(object), text)
      send(plural, watchLine(isNew ? 'ADDED' : 'MODIFIED', text))
    },
    remove(plural, object) {
      objectsOf(plural).delete(keyOf(object))
      send(plural, watchLine('DELETED', textOf(object)))
    },
  }
}
