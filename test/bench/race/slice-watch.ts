import { type EndpointSlice, LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import type { RawClient } from '../../support/raw-client.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'

/** One watch on the slices of one controller, as each kube-proxy has one on all. */
export interface SliceWatch {
  /** Events: one for each write of a slice. */
  readonly events: number
  /** Bytes as received, which are JSON. */
  readonly bytes: number
  /** Time of the last event, by performance.now(). */
  readonly lastAt: number
  /** Rejects when the server ends the watch; pending as long as it runs. */
  readonly broken: Promise<never>
  close(): void
}

interface SliceHandler {
  put(slice: EndpointSlice): void
  remove(slice: EndpointSlice): void
}

interface SliceEvent {
  readonly type: string
  readonly object: EndpointSlice
}

/** Longer than any race. */
const TIMEOUT_SECONDS = 3600

/** @param managedBy whose slices */
export async function watchSlices(
  client: RawClient,
  handler: SliceHandler,
  managedBy = IN_TREE_CONTROLLER,
): Promise<SliceWatch> {
  const query = new URLSearchParams({
    labelSelector: `${LABEL_MANAGED_BY}=${managedBy}`,
    timeoutSeconds: String(TIMEOUT_SECONDS),
  })
  const watch = await client.watch(`/apis/discovery.k8s.io/v1/endpointslices?${query}`)
  const counts = { events: 0, bytes: 0, lastAt: performance.now() }
  let closed = false

  async function follow(): Promise<void> {
    for (let text = await watch.nextText(); text !== undefined; text = await watch.nextText()) {
      counts.lastAt = performance.now()
      counts.events++
      counts.bytes += Buffer.byteLength(text) + 1
      const { type, object }: SliceEvent = JSON.parse(text)
      if (type === 'DELETED') handler.remove(object)
      else if (type === 'ADDED' || type === 'MODIFIED') handler.put(object)
      else throw new Error(`the watch of slices broke: ${text}`)
    }
  }
  const { promise: broken, reject } = Promise.withResolvers<never>()
  const end = (error: unknown): void => {
    if (!closed) reject(error)
  }
  void follow().then(() => end(new Error('the server ended the watch of slices')), end)
  // It may break between two waits: the next wait reports it.
  broken.catch(() => undefined)
  return {
    get events() {
      return counts.events
    },
    get bytes() {
      return counts.bytes
    },
    get lastAt() {
      return counts.lastAt
    },
    broken,
    close() {
      closed = true
      watch.close()
    },
  }
}
