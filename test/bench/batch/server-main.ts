import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { constants, gzipSync } from 'node:zlib'
import { certificateAuthority } from '../../../shared/control-plane/index.ts'
import { type EndpointSlice, LABEL_SERVICE_NAME } from '../../../shared/endpointslice/index.ts'
import { forkedOptions, serveFunctions } from '../forked.ts'
import { podText } from '../relay/workload.ts'

/** Shape of a batch, and of each of its Services. */
export interface BatchShape {
  readonly clusters: number
  readonly servicesPerCluster: number
  readonly podsPerService: number
  /** Size of a pod's JSON, about. */
  readonly podBytes: number
}

/**
 * The API servers of all clusters, in a process of their own. Every Service has the same pods, so that each
 * page is made and compressed once, as API servers do it.
 */
const shape = forkedOptions<BatchShape>()
const PLURALS = ['services', 'pods', 'nodes', 'endpointslices', 'events']
/** Slices by the path of their list. */
const slices = new Map<string, EndpointSlice[]>()
const pages = new Map<string, Buffer>()
let version = 1_000_000

const authority = await certificateAuthority()
const { certificate, key } = await authority.server(['127.0.0.1'])
const server = createServer({ cert: certificate, key }, (request, response) => void answer(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const functions = {
  address: () => ({ port: (server.address() as AddressInfo).port, ca: authority.certificate }),
}
serveFunctions(functions)
export type ServerFunctions = typeof functions

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://server')
  if (request.method === 'POST') return void response.end(created(pathname, await text(request)))
  const parts = pathname.split('/')
  const [plural = '', name] = parts.slice(parts.findIndex((part) => PLURALS.includes(part)))
  if (name !== undefined) return void response.end(JSON.stringify(objectOf(pathname, plural, name)))
  if (plural !== 'pods') {
    const [of] = searchParams.get('labelSelector')?.split(',') ?? []
    const items = slices
      .get(pathname)
      ?.filter(({ metadata }) => of?.endsWith(`=${metadata?.labels?.[LABEL_SERVICE_NAME]}`))
    return void response.end(JSON.stringify({ metadata: versionOf(), items: items ?? [] }))
  }
  const isMetadataOnly = request.headers.accept?.includes('PartialObjectMetadata') ?? false
  const page = podPage(searchParams, isMetadataOnly ? 0 : shape.podBytes)
  response.setHeader('content-encoding', 'gzip').end(page)
}

const versionOf = (): { resourceVersion: string } => ({ resourceVersion: String(version) })

function created(path: string, body: string): string {
  version++
  const slice: EndpointSlice = JSON.parse(body)
  const stored = { ...slice, metadata: { ...slice.metadata, uid: `uid-${version}`, ...versionOf() } }
  if (path.endsWith('/endpointslices')) slices.set(path, [...(slices.get(path) ?? []), stored])
  return JSON.stringify(stored)
}

function objectOf(path: string, plural: string, name: string): unknown {
  const metadata = { namespace: 'shop', name, uid: `uid of ${path}`, resourceVersion: '1' }
  if (plural !== 'services') return { metadata: { ...metadata, labels: {} } }
  const annotations = { 'sliceflow.dev/selector': 'app=app-0' }
  const spec = { type: 'ClusterIP', clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ports: [{ port: 80 }] }
  return { metadata: { ...metadata, annotations }, spec }
}

function podPage(query: URLSearchParams, podBytes: number): Buffer {
  const start = Number(query.get('continue') ?? 0)
  const end = Math.min(shape.podsPerService, start + Number(query.get('limit') ?? shape.podsPerService))
  const name = `${start} ${end} ${podBytes}`
  const known = pages.get(name)
  if (known !== undefined) return known
  const texts = Array.from({ length: end - start }, (_, at) => podText(start + at, { services: 1, podBytes }))
  const metadata = { ...versionOf(), ...(end < shape.podsPerService && { continue: String(end) }) }
  const list = `{"metadata":${JSON.stringify(metadata)},"items":[${texts.join(',')}]}`
  const page = gzipSync(list, { level: constants.Z_BEST_SPEED })
  pages.set(name, page)
  return page
}
