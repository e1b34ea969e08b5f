import type { Socket, TcpNetConnectOpts } from 'node:net'
import { ownerText } from '../../shared/changes/key-queue/key.ts'
import { addressesIn } from '../../shared/changes/sources/addresses.ts'
import { AnnotationError, type AskingServices, type Source } from '../../shared/changes/sources/source.ts'
import type { Service } from '../../shared/endpointslice/index.ts'
import { sleepUnlessAborted } from '../../shared/kubernetes/index.ts'

/** Annotation of a Service without a selector: addresses that count while a connection to them succeeds. */
export const ANNOTATION_CHECKED_ADDRESSES = 'sliceflow.dev/checked-addresses'

export interface CheckOptions {
  /** Time between two checks of the relay. */
  readonly intervalMs: number
  /** Time that a connection may take. */
  readonly timeoutMs: number
  /** Opens a connection. */
  readonly open: (to: TcpNetConnectOpts) => Socket
}

/**
 * Plain addresses that count while their first port accepts TCP connections: the relay checks them at
 * intervals, and sends the key of a Service of which one has changed; the function checks them again and
 * publishes those that answer. Both must reach them. The others stay in the slices, not ready.
 */
export function checkedAddresses({ intervalMs, timeoutMs, open }: CheckOptions): Source {
  const check = (asked: readonly string[], signal: AbortSignal): Promise<boolean[]> => {
    const [port = '', ...addresses] = asked
    return Promise.all(
      addresses.map((host) => {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
        return answers(() => open({ host, port: Number(port), signal: limit }))
      }),
    )
  }
  return {
    name: 'checkedAddresses',
    summary: 'plain addresses, ready while their port accepts connections',
    annotations: {
      [ANNOTATION_CHECKED_ADDRESSES]: [{ kind: 'length', most: 4096 }, { kind: 'addresses' }],
    },
    grantedBy: 'allowedAddresses',
    asks: ANNOTATION_CHECKED_ADDRESSES,
    select: (service, permissions) => [
      portOf(service),
      ...addressesIn(ANNOTATION_CHECKED_ADDRESSES, service, permissions),
    ],
    async read(asked, { signal }) {
      const healthy = await check(asked, signal)
      signal.throwIfAborted()
      return {
        endpoints: () => asked.slice(1).map((address, at) => ({ addresses: [address], ready: healthy[at] })),
      }
    },
    watch: (services, signal) => void watch(services, signal),
    explained: { kind: 'CheckedAddresses', endpoints: 'the addresses of its annotation that answer' },
  }

  async function watch(services: AskingServices, signal: AbortSignal): Promise<void> {
    let known = new Map<string, string>()
    while (!signal.aborted) {
      const asking = [...services.list()]
      const states = await Promise.all(asking.map(({ asked }) => check(asked, signal)))
      if (signal.aborted) return
      const keyed = asking.map((service, at) => ({
        service,
        key: ownerText(service),
        state: JSON.stringify([service.asked, states[at]]),
      }))
      services.changed(keyed.filter(({ key, state }) => known.get(key) !== state).map((one) => one.service))
      known = new Map(keyed.map(({ key, state }) => [key, state]))
      await sleepUnlessAborted(intervalMs, signal)
    }
  }
}

/** Returns the number of the first port that its endpoints have. */
function portOf({ spec }: Service): string {
  const [port] = spec?.ports ?? []
  if (port === undefined) throw new AnnotationError(ANNOTATION_CHECKED_ADDRESSES, 'it needs a port to check')
  return String(port.targetPort ?? port.port)
}

/** Reports whether a connection opens. */
function answers(open: () => Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open()
    const done = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => done(true)).once('error', () => done(false))
  })
}
