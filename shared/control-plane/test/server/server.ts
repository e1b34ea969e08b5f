import { createRawClient, type RawClient } from '../../../../test/support/raw-client.ts'
import { type AuditEvent, type ControlPlaneOptions, createControlPlane } from '../../index.ts'

/** A control plane of a test, with everything that it says about itself. */
export interface HostileScene extends AsyncDisposable {
  readonly url: URL
  readonly admin: RawClient
  /** Returns a client with other credentials than the administrator's; `{}` for none. */
  as(headers: Readonly<Record<string, string>>): RawClient
  readonly failures: readonly unknown[]
  readonly audit: readonly AuditEvent[]
  /** PEM of who certifies the server. */
  readonly ca: string
  /** The administrator's connection, for requests that no client makes. */
  readonly adminTls: { readonly ca: string; readonly cert: string; readonly key: string }
}

export async function startHostileScene(options: ControlPlaneOptions = {}): Promise<HostileScene> {
  const failures: unknown[] = []
  const audit: AuditEvent[] = []
  const controlPlane = await createControlPlane({
    authorization: 'RBAC',
    observer: { onError: (error) => failures.push(error), audit: (event) => audit.push(event) },
    ...options,
  })
  const { url } = await controlPlane.listen()
  const { kubeconfig } = controlPlane
  const clients: RawClient[] = []
  const open = (headers?: Readonly<Record<string, string>>): RawClient => {
    const client = createRawClient(kubeconfig, headers)
    clients.push(client)
    return client
  }
  const pem = (member: string): string =>
    Buffer.from(new RegExp(`${member}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString()
  const ca = pem('certificate-authority-data')
  return {
    url: new URL(url),
    admin: open(),
    as: open,
    failures,
    audit,
    ca,
    adminTls: { ca, cert: pem('client-certificate-data'), key: pem('client-key-data') },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close()
      await controlPlane.close()
    },
  }
}
