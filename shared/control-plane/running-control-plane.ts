import { isIPv6 } from 'node:net'
import { checkListenOptions } from './apiserver/checks/check-options.ts'
import { ApiServer, type ApiServerOptions } from './apiserver/http/server.ts'
import type { Registry } from './apiserver/registry/registry.ts'
import type { Authority } from './auth/security/certificates.ts'
import { kubeconfigFor } from './auth/security/kubeconfig.ts'
import type { ListenOptions } from './options.ts'

/** Address of a server; `url` is undefined until it listens. */
export interface Address {
  url: string | undefined
}

/** Parts of a server. */
interface RunningParts extends Pick<ApiServerOptions, 'handler' | 'clientAuthorities'> {
  readonly registry: Registry
  /** Certifies the server and its administrator. */
  readonly authority: Authority
  readonly address: Address
  /** Ends everything that the parts keep open, the last one first. */
  readonly closing: AsyncDisposableStack
}

export interface ControlPlane {
  /** Starts to serve, once. Rejects with the system's error for a taken or forbidden address; try another. */
  listen(options?: ListenOptions): Promise<{ url: string; port: number }>
  /** A kubeconfig (YAML) of an administrator in system:masters, once the server listens; throws before. */
  readonly kubeconfig: string
  /**
   * Ends every connection, watch and controller, then closes the storage. A part that fails to end keeps none
   * of the others from it: their errors come back together when all is over, as one Error or a
   * SuppressedError. Asked for again, it is the same end.
   */
  close(): Promise<void>
}

/** A server whose parts are all there. */
export class RunningControlPlane implements ControlPlane {
  readonly #parts: RunningParts
  #isListening = false
  #kubeconfig: string | undefined
  #closed: Promise<void> | undefined

  constructor(parts: RunningParts) {
    this.#parts = parts
  }

  get kubeconfig(): string {
    if (this.#kubeconfig === undefined) {
      throw new Error(
        'failed to make a kubeconfig: the control plane does not listen yet; call listen() first',
      )
    }
    return this.#kubeconfig
  }

  async listen(options: ListenOptions = {}): Promise<{ url: string; port: number }> {
    checkListenOptions(options)
    const { host = '127.0.0.1', port = 0, names = [], context: name = 'sliceflow' } = options
    if (this.#isListening) throw new Error('failed to listen: the control plane listens already')
    this.#isListening = true
    try {
      const { registry, address, authority } = this.#parts
      const admin = await authority.client('kubernetes-admin', ['system:masters'])
      const bound = await this.#serve(host, port, names)
      const url = `https://${isIPv6(host) ? `[${host}]` : host}:${bound}`
      address.url = url
      this.#kubeconfig = kubeconfigFor({ server: url, authority: authority.certificate, client: admin, name })
      for (const { lifecycle } of registry.definitions) {
        lifecycle?.listening?.(registry, { host, port: bound })
      }
      return { url, port: bound }
    } catch (error) {
      this.#isListening = this.#parts.address.url !== undefined
      throw error
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#parts.closing.disposeAsync()
    return this.#closed
  }

  /** Resolves with the port. */
  async #serve(host: string, port: number, names: readonly string[]): Promise<number> {
    const { authority, handler, clientAuthorities, closing } = this.#parts
    const hosts = [...new Set(['localhost', '127.0.0.1', host, ...names])]
    const certificate = await authority.server(hosts)
    const server = new ApiServer({ handler, clientAuthorities, certificate })
    const bound = await server.listen(host, port)
    if (closing.disposed) {
      await server.close()
      throw new Error('failed to listen: the control plane is closed')
    }
    closing.defer(() => server.close())
    return bound
  }
}
