import type { ServicePortReference } from '../../aggregator/service-address/index.ts'
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from '../../apimachinery/json/index.ts'

const HTTPS = 443

/** Address of a webhook, and the name that its certificate must be for. */
export interface WebhookAddress {
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
export function webhookAddress(clientConfig: JsonObject): WebhookAddress {
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
