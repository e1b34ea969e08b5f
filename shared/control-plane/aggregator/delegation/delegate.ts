import type { ClientRequest, OutgoingHttpHeaders } from 'node:http'
import { Agent, type AgentOptions, request } from 'node:https'
import { isIPv6 } from 'node:net'
import { stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { retire } from '../../apiserver/outgoing/retire.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { certificatesOf } from '../../auth/security/certificate-chain.ts'
import type { KeyPair } from '../../auth/security/certificates.ts'
import { type GroupVersion, groupVersionOf, isAvailable, RESOURCE, specOf } from '../api-service.ts'
import { resolveService, type ServiceAddress, type ServicePortReference } from '../service-address/resolve.ts'

/** Milliseconds that a connection is kept for the next request. */
const IDLE_TIMEOUT = 60_000

export interface DelegateServices {
  readonly objects: ObjectReader
  /** Key pair by which other servers believe what this one says about users. */
  readonly frontProxy: KeyPair
  /** Breaks off running requests, those of a retired delegate too, and ends later ones at once. */
  readonly signal: AbortSignal
}

export interface DelegateRequest {
  readonly method: string
  /** Path with the query. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  /** Default: what the Service resolves to now. */
  readonly address?: ServiceAddress
  /** Over a connection of its own, which no other request is sent over later. Default false. */
  readonly alone?: boolean
}

/** The server of one APIService, until its spec changes. */
export class Delegate {
  readonly groupVersion: GroupVersion
  readonly service: ServicePortReference
  readonly #name: string
  readonly #objects: ObjectReader
  readonly #signal: AbortSignal
  readonly #agent: Agent
  readonly #single: Agent
  /** Error if no connection is possible, as `caBundle` holds no certificates. */
  readonly #unusable: Error | undefined

  constructor(apiService: KubeObject, service: ServicePortReference, services: DelegateServices) {
    this.groupVersion = groupVersionOf(apiService)
    this.service = service
    this.#name = apiService.metadata.name ?? ''
    this.#objects = services.objects
    this.#signal = services.signal
    const spec = specOf(apiService)
    const bundle = Buffer.from(stringAt(spec, 'caBundle'), 'base64').toString('utf8')
    this.#unusable = bundle === '' ? undefined : problemOf(bundle)
    const tls: AgentOptions = {
      cert: services.frontProxy.certificate,
      key: services.frontProxy.key,
      rejectUnauthorized: spec.insecureSkipTLSVerify !== true,
      ...(bundle === '' || this.#unusable ? {} : { ca: bundle }),
    }
    this.#agent = new Agent({ ...tls, keepAlive: true, timeout: IDLE_TIMEOUT })
    this.#single = new Agent({ ...tls, keepAlive: false })
  }

  /** Reports whether the APIService is available, by its condition. */
  get isAvailable(): boolean {
    const apiService = this.#objects.get(RESOURCE, '', this.#name)
    return apiService !== undefined && isAvailable(apiService)
  }

  /** Throws an Error where the Service leads nowhere. */
  get address(): ServiceAddress {
    return resolveService(this.#objects, this.service)
  }

  /** Throws an Error where no connection can be made at all. */
  checkUsable(): void {
    if (this.#unusable) throw this.#unusable
  }

  /** Begins a request; the caller listens to its `error` and ends it. Throws where it cannot even begin. */
  open({ method, path, headers, address = this.address, alone = false }: DelegateRequest): ClientRequest {
    this.checkUsable()
    // Else it would connect all the same.
    this.#signal.throwIfAborted()
    const { namespace, name } = this.service
    return request({
      agent: alone ? this.#single : this.#agent,
      host: address.host,
      port: address.port,
      // The name that the server's certificate has to be for, wherever it is reached.
      servername: `${name}.${namespace}.svc`,
      method,
      path,
      headers: { host: authorityOf(address), ...headers },
      signal: this.#signal,
    })
  }

  /** Lets requests come to their end, but keeps no connection for later ones. */
  retire(): void {
    retire(this.#agent)
  }
}

export function authorityOf({ host, port }: ServiceAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

function problemOf(bundle: string): Error | undefined {
  try {
    certificatesOf(bundle)
    return undefined
  } catch {
    return new Error('unable to load root certificates: unable to parse bytes as PEM block')
  }
}
