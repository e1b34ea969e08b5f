import { connect, createServer, type Socket } from 'node:net'
import { listenLocally } from './local-server.ts'

/** A door on loopback to another server, through which bytes go as they are, until a test says otherwise. */
export interface TcpProxy {
  readonly port: number
  /** Connections that were made through it so far. */
  readonly connections: number
  /** Ends every open connection with a reset; new ones are let through. */
  cutAll(): void
  /**
   * Swallows what the server says on the open connections from now on without closing them, as a network does
   * that went silent.
   */
  silenceOpen(): void
  /** Refuses new connections from now on, or lets them through again. Open ones stay. */
  setOpen(open: boolean): void
  close(): Promise<void>
}

interface TcpProxyOptions {
  readonly target: { readonly hostname: string; readonly port: number }
  /** Default: a free one. */
  readonly port?: number
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export async function startTcpProxy({ target, port = 0 }: TcpProxyOptions): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let connections = 0
  let isOpen = true
  const end = ({ near, far }: Pair): void => {
    near.resetAndDestroy()
    far.resetAndDestroy()
  }
  const server = createServer((near) => {
    if (!isOpen) return void near.resetAndDestroy()
    connections++
    const far = connect(target.port, target.hostname)
    const pair = { near, far }
    pairs.add(pair)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      socket.on('error', () => end(pair))
      socket.on('close', () => {
        pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
  })
  const listening = await listenLocally(server, port)
  return {
    port: listening.port,
    get connections() {
      return connections
    },
    cutAll() {
      for (const pair of pairs) end(pair)
    },
    silenceOpen() {
      for (const { near, far } of pairs) {
        far.unpipe(near)
        far.resume()
      }
    },
    setOpen(open) {
      isOpen = open
    },
    async close() {
      for (const pair of pairs) end(pair)
      await listening.close()
    },
  }
}
