import { createServer, type ListenOptions } from 'node:net'

/** Below the ports that Linux gives to outgoing connections. */
const FIRST = 12_000
const END = 32_000

/**
 * Returns a free loopback port, for programs that cannot choose one themselves. Until this process ends no
 * other call on the machine returns it: an etcd that had another's port would end, and the other one answer
 * in its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST))
    // A Unix socket in the abstract namespace leaves no file behind.
    if (!(await listens({ path: `\0sliceflow-port-${port}` }, true))) continue
    if (await listens({ port, host: '127.0.0.1' }, false)) return port
  }
}

/** @param stays until the process ends; else it closes at once */
function listens(address: ListenOptions, stays: boolean): Promise<boolean> {
  const server = createServer().unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(address, () => {
      if (stays) resolve(true)
      else server.close(() => resolve(true))
    })
  })
}
