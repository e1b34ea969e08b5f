import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A long way to another server: what goes through it arrives in order, and later. */
interface DelayingProxy {
  /** Port on loopback. */
  readonly port: number
  close(): Promise<void>
}

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
}: DelayingProxyOptions): Promise<DelayingProxy> {
  const sockets = new Set<Socket>()
  const oneWayMs = roundTripMs / 2
  const later = (action: () => void): void => void setTimeout(action, oneWayMs)

  /** Passes on what one side sends. Timers of equal length fire in the order in which they were set. */
  function pass(from: Socket, to: Socket): void {
    from.on('data', (data: Buffer) => later(() => write(from, to, data)))
    to.on('drain', () => from.resume())
    from.on('end', () => later(() => to.end()))
    from.on('error', () => later(() => to.resetAndDestroy()))
  }

  function guard(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    guard(near)
    // Without a listener its error would end the process while there is no other side yet.
    near.on('error', () => undefined)
    later(() => {
      if (near.destroyed) return
      const far = connect({ ...target, allowHalfOpen: true })
      guard(far)
      pass(far, near)
      pass(near, far)
      later(() => near.resume())
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Writes, and lets the sender wait while the receiver takes no more, as TCP does. */
function write(from: Socket, to: Socket, data: Buffer): void {
  if (!to.destroyed && !to.write(data)) from.pause()
}
