import { SLICEFLOW_TOKEN } from '../end-to-end/cluster.ts'
import { type Fault, type FaultProxy, type ProxiedRequest, startFaultProxy } from '../support/fault-proxy.ts'
import { createEventGate, type EventGate } from './event-gate.ts'

/** Access of a relay or a function to the API server; it outlives their processes. */
export interface View {
  readonly gate: EventGate
  /** Decides about each request but watches; default: it goes through. */
  decide: (request: ProxiedRequest) => Fault | undefined
}

export const createView = (): View => ({ gate: createEventGate(), decide: () => undefined })

/** The way of one process to the API server. */
export interface Door {
  readonly server: string
  /** PEM text. */
  readonly authority: string
  readonly token: string
  /** Cuts the process off from the server, as if it were dead. */
  shut(): void
  close(): Promise<void>
}

export interface DoorOptions {
  readonly server: { readonly url: string; readonly authority: string }
  /** All of the cluster that clients of this door see, beside its nodes. */
  readonly namespace: string
  readonly view: View
}

const DEAD: Fault = { kind: 'answer', status: 503 }

export async function openDoor({ server, namespace, view }: DoorOptions): Promise<Door> {
  const proxy: FaultProxy = await startFaultProxy({
    server: new URL(server.url),
    authority: server.authority,
    route: (url) => within(namespace, url),
  })
  proxy.decide((request) => {
    if (!request.isWatch) return view.decide(request)
    return { kind: 'through', stream: view.gate.through(pluralOf(request.url)) }
  })
  return {
    server: proxy.url,
    authority: proxy.authority,
    token: SLICEFLOW_TOKEN,
    shut: () => proxy.decide(() => DEAD),
    close: () => proxy.close(),
  }
}

const COLLECTION = /^\/(api\/v1|apis\/discovery\.k8s\.io\/v1)\/(pods|services|endpointslices)(?=\?|$)/

/**
 * Turns a list or watch of all namespaces into one of this namespace. Many plans share a server and see
 * nothing of each other.
 */
const within = (namespace: string, url: string): string =>
  url.replace(COLLECTION, `/$1/namespaces/${namespace}/$2`)

const pluralOf = (url: string): string => new URL(url, 'https://server').pathname.split('/').at(-1) ?? ''
