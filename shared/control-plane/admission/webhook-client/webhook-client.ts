import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP } from 'node:net'
import { isStaleSocket, quoted } from '../../../kubernetes/index.ts'
import { resolveService, type ServicePortReference } from '../../aggregator/service-address/resolve.ts'
import {
  type JsonObject,
  type JsonValue,
  jsonText,
  overflowError,
  parseJson,
} from '../../apimachinery/json/exact-numbers.ts'
import { nestingOf } from '../../apimachinery/json/nesting.ts'
import { isObject, numberAt, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { connectionFailure, DEADLINE_EXCEEDED } from '../../apiserver/outgoing/connection-failure.ts'
import { readText } from '../../apiserver/outgoing/read-text.ts'
import { retire } from '../../apiserver/outgoing/retire.ts'
import type { RequestLifetime } from '../../apiserver/registry/admission/types.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'

const HTTPS = 443

/** Address of a webhook, and the name that its certificate must be for. */
interface WebhookAddress {
  /** URL without a query, as errors show it. */
  readonly url: string
  /** The value of the `Host` header. */
  readonly host: string
  /** Name or address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly path: string
  /** Service that is reached in place of the name. */
  readonly service?: ServicePortReference
}

/** Returns the address in a `clientConfig`: that of its URL, or `<name>.<namespace>.svc` of its Service. */
function webhookAddress(clientConfig: JsonObject): WebhookAddress {
  return isObject(clientConfig.service)
    ? serviceAddress(objectAt(clientConfig, 'service'))
    : urlAddress(new URL(stringAt(clientConfig, 'url')))
}

function urlAddress({ origin, host, hostname, port, pathname }: URL): WebhookAddress {
  return {
    url: `${origin}${pathname}`,
    host,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? HTTPS : Number(port),
    path: pathname,
  }
}

function serviceAddress(service: JsonObject): WebhookAddress {
  const [namespace, name] = [stringAt(service, 'namespace'), stringAt(service, 'name')]
  const port = numberAt(service, 'port') ?? HTTPS
  const hostname = `${name}.${namespace}.svc`
  const host = `${hostname}:${port}`
  const given = stringAt(service, 'path')
  const path = given.startsWith('/') ? given : `/${given}`
  return { url: `https://${host}${path}`, host, hostname, port, path, service: { namespace, name, port } }
}

const TEXTS: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [
    504,
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
])
/** The server says best what it does not allow, or which types it takes. */
const OWN_WORDS = new Set([403, 406, 415])
/** Characters of a body that an error quotes. */
const QUOTED = 1000

/**
 * Returns client-go's text for an answer without success.
 * @param message text of the body, or `unknown` if the body is no text
 */
function statusFailure(code: number, message: string): string {
  const said = message.length > QUOTED ? `${message.slice(0, QUOTED)}...` : message
  const known = TEXTS.get(code) ?? (OWN_WORDS.has(code) ? said : undefined)
  if (known !== undefined) return known
  return code >= 500
    ? `an error on the server (${quoted(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`
}

/** An answer may be so much larger than its request, in bytes: it may add to objects, but not without end. */
const ROOM = 3 * 1024 * 1024
const GROWTH = 4
/** Deepest nesting of an answer, which is that of request bodies. */
const DEEPEST = 500
/** Connections that one webhook gets at most at a time; more requests wait for a free one. */
const MOST_CONNECTIONS = 16

/** A webhook's `clientConfig`, which has passed `validateClientConfig`. */
export interface WebhookClientOptions {
  readonly clientConfig: JsonObject
  /** Reader of Services and their endpoints. */
  readonly objects: ObjectReader
  /** Breaks off running calls, those of a retired client too, and ends later ones before they begin. */
  readonly signal: AbortSignal
  /** The error for an answer that takes too long, in Go's words. Default `context deadline exceeded`. */
  readonly deadlineText?: string
}

/** Calls one webhook over verified TLS: by its `caBundle`, or without one by the authorities of Node. */
export class WebhookClient {
  readonly #options: WebhookClientOptions
  readonly #address: WebhookAddress
  readonly #agent: Agent

  constructor(options: WebhookClientOptions) {
    this.#options = options
    this.#address = webhookAddress(options.clientConfig)
    const bundle = Buffer.from(stringAt(options.clientConfig, 'caBundle'), 'base64').toString('utf8').trim()
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: MOST_CONNECTIONS,
      rejectUnauthorized: true,
      ...(bundle === '' ? {} : { ca: bundle }),
    })
  }

  /**
   * Posts the JSON and returns the JSON of a 2xx answer; text that is no JSON comes back as a string, which
   * is what YAML makes of it. Rejects with client-go's text otherwise, and when there is no answer in time or
   * it is larger or nested deeper than it may be. The request that it is for may leave less time, and end it
   * by its signal.
   */
  async call(body: JsonObject, timeoutSeconds: number, lifetime?: RequestLifetime): Promise<JsonValue> {
    const text = jsonText(body)
    const query = `timeout=${secondsLeft(timeoutSeconds, lifetime)}s`
    const url = `${this.#address.url}?${query}`
    const signal = AbortSignal.any([
      this.#options.signal,
      AbortSignal.timeout(timeoutSeconds * 1000),
      ...(lifetime ? [lifetime.signal] : []),
    ])
    let response: IncomingMessage
    try {
      response = await this.#post(text, query, signal)
    } catch (error) {
      throw new Error(`Post ${quoted(url)}: ${this.#failureOf(error, signal)}`, { cause: error })
    }
    const limit = ROOM + GROWTH * Buffer.byteLength(text)
    const answer = await readText(response, limit).catch((error: unknown) => {
      const why = this.#failureOf(error, signal).replace(/^EOF$/, 'unexpected EOF')
      throw new Error(`unexpected error when reading response body. Please retry. Original error: ${why}`, {
        cause: error,
      })
    })
    return contentOf(response, answer)
  }

  /** Lets calls come to their end, but keeps no connection for later ones. */
  retire(): void {
    retire(this.#agent)
  }

  #failureOf(error: unknown, signal: AbortSignal): string {
    const { deadlineText = DEADLINE_EXCEEDED } = this.#options
    return signal.aborted ? deadlineText : connectionFailure(error)
  }

  async #post(text: string, query: string, signal: AbortSignal): Promise<IncomingMessage> {
    // Else it would connect all the same.
    signal.throwIfAborted()
    const { service, hostname, port, path } = this.#address
    const target = service ? resolveService(this.#options.objects, service) : { host: hostname, port }
    return await new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          method: 'POST',
          host: target.host,
          port: target.port,
          path: `${path}?${query}`,
          ...(isIP(hostname) ? {} : { servername: hostname }),
          signal,
          headers: {
            host: this.#address.host,
            accept: 'application/json, */*',
            'accept-encoding': 'identity',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
            'user-agent': 'kube-apiserver-admission',
          },
        },
        resolve,
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // A server may close an idle connection just as it is used again; webhooks tolerate being called
        // twice.
        if (isStaleSocket(outgoing, error)) this.#post(text, query, signal).then(resolve, reject)
        else reject(error)
      })
      outgoing.end(text)
    })
  }
}

/** Returns the timeout that is sent to the webhook, rounded up. */
function secondsLeft(timeoutSeconds: number, lifetime: RequestLifetime | undefined): number {
  if (!lifetime) return timeoutSeconds
  return Math.min(timeoutSeconds, Math.max(Math.ceil((lifetime.deadline - performance.now()) / 1000), 0))
}

function contentOf({ statusCode = 0, headers }: IncomingMessage, text: string): JsonValue {
  const type = headers['content-type'] ?? ''
  const content = jsonOf(text)
  if (statusCode < 200 || statusCode > 299) {
    // A Status says itself what is wrong.
    if (isObject(content) && content.kind === 'Status' && content.status === 'Failure') {
      throw new Error(stringAt(content, 'message') || stringAt(objectAt(content, 'details'), 'name'))
    }
    throw new Error(
      statusFailure(statusCode, type === '' || type.startsWith('text/') ? text.trim() : 'unknown'),
    )
  }
  if (text !== '') return content
  throw new Error(
    `0-length response with status code: ${statusCode} and content type: ${type === '' ? 'application/json' : type}`,
  )
}

function jsonOf(text: string): JsonValue {
  if (nestingOf(text) > DEEPEST) throw new Error(`exceeded max depth ${DEEPEST}`)
  try {
    const value = parseJson(text)
    return overflowError(text) === undefined ? value : text
  } catch {
    return text
  }
}
