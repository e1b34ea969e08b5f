import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server on loopback, with the connections that it has. */
export interface LocalServer {
  readonly port: number
  /** Ends the connections that there are. */
  cut(): void
  /** Ends the server and its connections. */
  close(): Promise<void>
}

/** Has a server listen on loopback. @param at port; default: any free one */
export async function listenLocally(server: Server, at = 0): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  function add(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', add).on('secureConnection', add)
  server.listen(at, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
