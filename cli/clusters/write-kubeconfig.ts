import { connect } from 'node:tls'
import { assertOwnFile, type FileKind, replaceOwnFile } from '../../shared/files/index.ts'
import { errorMessage } from '../../shared/values/index.ts'

const KIND: FileKind = {
  name: 'a kubeconfig of a control plane',
  begins: /^# Kubeconfig of a Sliceflow control plane\n/,
  mode: 0o600,
}
const SERVER = /^ {6}server: (.+)$/m
const AUTHORITY = /^ {6}certificate-authority-data: (.+)$/m
const PROBE_TIMEOUT_MS = 2_000

/**
 * Refuses a file that holds anything else than the kubeconfig of a control plane that has ended: it may be
 * the only one that leads to its cluster. To be called before a control plane is started.
 */
export async function assertKubeconfigFile(file: string): Promise<void> {
  try {
    const text = await assertOwnFile(file, KIND)
    const [, server] = SERVER.exec(text) ?? []
    const [, authority] = AUTHORITY.exec(text) ?? []
    if (server !== undefined && authority !== undefined && (await isServed(server, authority)))
      throw new Error(`the control plane that it leads to still runs on ${server}; name another file`)
  } catch (error) {
    throw notWritten(file, error)
  }
}

/** Writes a kubeconfig that only its owner can read, as it holds a key. */
export async function writeKubeconfig(file: string, text: string): Promise<void> {
  await replaceOwnFile(file, text, KIND).catch((error: unknown) => {
    throw notWritten(file, error)
  })
}

const notWritten = (file: string, cause: unknown): Error =>
  new Error(`failed to write the kubeconfig ${file}: ${errorMessage(cause)}`, { cause })

/** Reports whether a server of the authority answers there: another one may have the port now. */
async function isServed(server: string, authority: string): Promise<boolean> {
  const url = URL.parse(server)
  if (url === null) return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port: Number(url.port || 443), ca: Buffer.from(authority, 'base64') })
  socket.setTimeout(PROBE_TIMEOUT_MS, () => resolve(false))
  socket.once('secureConnect', () => resolve(true)).on('error', () => resolve(false))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}
