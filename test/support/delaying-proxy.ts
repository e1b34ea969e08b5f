import { connect, createServer, type Socket } from 'node:net'
import { type LocalServer, listenLocally } from './local-server.ts'

interface DelayingProxyOptions {
  readonly target: { readonly hostname: string; readonly port: number }
  /** Milliseconds until an answer can be there: half of it each way. */
  readonly roundTripMs: number
  /** Default: a free one. */
  readonly port?: number
}

/**
 * Starts a proxy of TCP connections, so that TLS, HTTP/2 and watches go through. Each piece of data, each end
 * and each reset arrives half a round trip after it was sent, however many are on their way: bandwidth is not
 * limited. A new connection can be used after a whole round trip, as TCP's handshake takes one.
 */
export async function startDelayingProxy({
  target,
  roundTripMs,
  port = 0,
}: DelayingProxyOptions): Promise<Pick<LocalServer, 'port'>> {
  const oneWayMs = roundTripMs / 2
  const later = (action: () => void): void => void setTimeout(action, oneWayMs)

  /** Passes on what one side sends. Timers of equal length fire in the order in which they were set. */
  function pass(from: Socket, to: Socket): void {
    from.on('data', (data: Buffer) => later(() => write(from, to, data)))
    to.on('drain', () => from.resume())
    from.on('end', () => later(() => to.end()))
    from.on('error', () => later(() => to.resetAndDestroy()))
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    near.setNoDelay(true)
    later(() => {
      if (near.destroyed) return
      const far = connect({ ...target, allowHalfOpen: true })
      far.setNoDelay(true)
      pass(far, near)
      pass(near, far)
      later(() => near.resume())
    })
  })
  return listenLocally(server, port)
}

/** Writes, and lets the sender wait while the receiver takes no more, as TCP does. */
function write(from: Socket, to: Socket, data: Buffer): void {
  if (!to.destroyed && !to.write(data)) from.pause()
}
