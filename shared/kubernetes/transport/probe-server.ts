import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { parseJson, recordOf } from '../../values/index.ts'
import type { ClusterConnection } from '../connection.ts'
import { beginOf, createTransport } from './transport.ts'

/** Result of a request for `/version`: about an API server and the connection to it. */
export interface ServerProbe {
  /** HTTP status: 401 where our credentials are refused. */
  readonly status: number
  /** Such as `v1.36.4`; undefined if the server does not report it. */
  readonly version: string | undefined
  /** The server's clock, in milliseconds since the epoch, to the second. */
  readonly date: number | undefined
  readonly tookMs: number
  /** End of the server's certificate, in milliseconds since the epoch; absent where it showed none. */
  readonly certificateExpiry: number | undefined
  /** False where the kubeconfig has certificates accepted unseen. */
  readonly isVerified: boolean
  /** Uid of the FlowSchema that classified the request (API priority and fairness). */
  readonly flowSchema: string | undefined
}

/**
 * Asks a server for its version over a connection of its own.
 * @throws KubernetesError when the credentials cannot be loaded, or no answer came within `timeoutMs`
 */
export async function probeServer(connection: ClusterConnection, timeoutMs: number): Promise<ServerProbe> {
  const transport = createTransport(connection)
  const action = `reach the API server of cluster ${connection.name}`
  const started = performance.now()
  try {
    return await transport.open({ method: 'GET', path: '/version', action }, timeoutMs, async (response) => {
      // Of a connection that ends with the answer, the certificate is gone.
      const { certificateExpiry, isVerified } = certificateOf(response)
      const tookMs = performance.now() - started
      // An incomplete answer has no version, but its headers are usable.
      const text = await beginOf(response).catch(() => '')
      const { statusCode: status = 0, headers } = response
      return {
        ...{ status, version: status === 200 ? versionOf(text) : undefined, tookMs },
        ...{ date: dateOf(headers.date), certificateExpiry, isVerified },
        flowSchema: String(headers['x-kubernetes-pf-flowschema-uid'] ?? '') || undefined,
      }
    })
  } finally {
    transport.close()
  }
}

function certificateOf({ socket }: IncomingMessage): Pick<ServerProbe, 'certificateExpiry' | 'isVerified'> {
  if (!(socket instanceof TLSSocket)) return { certificateExpiry: undefined, isVerified: false }
  const { valid_to: end = '' } = socket.getPeerCertificate()
  return { certificateExpiry: dateOf(end), isVerified: socket.authorized }
}

function dateOf(text = ''): number | undefined {
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}

function versionOf(text: string): string | undefined {
  const { gitVersion } = recordOf(parseJson(text))
  return typeof gitVersion === 'string' ? gitVersion : undefined
}
