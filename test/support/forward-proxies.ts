import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listenLocally } from './local-server.ts'

/** A proxy on loopback that leads to one server, whatever it is asked for, and remembers what that was. */
export interface ForwardProxy {
  readonly port: number
  /** `CONNECT host:port` or `SOCKS5 name host:port`, with credentials where there were some, in order. */
  readonly asked: string[]
  close(): Promise<void>
}

interface ForwardProxyOptions {
  /** Port on loopback of the server behind. */
  readonly target: number
  /** Status by which it refuses; default: it lets all through. */
  readonly refuse?: number
  /** Talks TLS to its clients; default: it does not. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

export async function startHttpProxy({ target, refuse, tls }: ForwardProxyOptions): Promise<ForwardProxy> {
  const asked: string[] = []
  const server = tls ? createHttpsServer({ cert: tls.certificate, key: tls.key }) : createHttpServer()
  server.on('connect', ({ url, headers }: IncomingMessage, socket: Duplex) => {
    const [, credentials] = headers['proxy-authorization']?.split(' ') ?? []
    const user = credentials ? ` as ${Buffer.from(credentials, 'base64')}` : ''
    asked.push(`CONNECT ${url}${user}`)
    if (refuse !== undefined)
      return void socket.end(`HTTP/1.1 ${refuse} Refused\r\ncontent-length: 0\r\n\r\n`)
    join(socket, target, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  })
  return { ...(await listenLocally(server)), asked }
}

export async function startSocksProxy({ target, refuse }: ForwardProxyOptions): Promise<ForwardProxy> {
  const asked: string[] = []
  const serve = async (socket: Socket): Promise<void> => {
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    const wantsPassword = greeting.subarray(2).includes(2)
    socket.write(Buffer.from([5, wantsPassword ? 2 : 0]))
    let user = ''
    if (wantsPassword) {
      const [login] = (await once(socket, 'data')) as [Buffer]
      const [name, rest] = pascal(login, 1)
      user = ` as ${name}:${pascal(login, rest)[0]}`
      socket.write(Buffer.from([1, 0]))
    }
    const [request] = (await once(socket, 'data')) as [Buffer]
    asked.push(`SOCKS5 ${destination(request)}${user}`)
    if (refuse !== undefined) return void socket.end(Buffer.from([5, refuse, 0, 1, 0, 0, 0, 0, 0, 0]))
    join(socket, target, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
  }
  const server = createServer((socket) => {
    serve(socket).catch(() => socket.destroy())
  })
  return { ...(await listenLocally(server)), asked }
}

/** Reads a text with its length before it; returns it and where it ends. */
function pascal(bytes: Buffer, at: number): [string, number] {
  const end = at + 1 + (bytes[at] ?? 0)
  return [bytes.toString('utf8', at + 1, end), end]
}

function destination(request: Buffer): string {
  const [kind, [host, end]] =
    request[3] === 3
      ? ['name', pascal(request, 4)]
      : [
          'address',
          request[3] === 1 ? [request.subarray(4, 8).join('.'), 8] : [request.toString('hex', 4, 20), 20],
        ]
  return `${kind} ${host}:${request.readUInt16BE(Number(end))}`
}

function join(socket: Duplex, port: number, onOpen: () => void): void {
  const onward = connect(port, '127.0.0.1', () => {
    onOpen()
    socket.pipe(onward).pipe(socket)
  })
  onward.on('error', () => socket.destroy())
  onward.on('close', () => socket.destroy())
  socket.on('error', () => onward.destroy())
  socket.on('close', () => onward.destroy())
}
