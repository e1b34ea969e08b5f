import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { Json, JsonObject, ViewObject } from '../../../shared/views/index.ts'
import type { Instance } from './instance-registry.ts'

/**
 * Attribute with the cluster of the Service that an instance belongs to. An instance without both attributes
 * is left alone.
 */
const ATTRIBUTE_CLUSTER = 'sliceflow-cluster'
const ATTRIBUTE_SERVICE = 'sliceflow-service'
/** `Kind/name` of the view object. */
export const ATTRIBUTE_VIEW = 'sliceflow-view'

/** Cloud Map's limits: 30 attributes an instance, values of 1,024 characters. */
const MAX_ATTRIBUTES = 30
const MAX_VALUE_LENGTH = 1_024
const ATTRIBUTE_NAME = /^[!-~]{1,255}$/

/** Names the Cloud Map service of a Kubernetes Service, the same for all clusters. */
export const cloudMapServiceOf = ({ namespace, service }: ServiceKey): string => `${service}.${namespace}`

export const ownershipOf = ({ cluster, namespace, service }: ServiceKey): Record<string, string> => ({
  [ATTRIBUTE_CLUSTER]: cluster.slice(-MAX_VALUE_LENGTH),
  [ATTRIBUTE_SERVICE]: `${namespace}/${service}`,
})

/**
 * Makes one instance for each address of a view object: of `spec.address`, or of the list `spec.addresses`.
 * The port is `spec.targetPort`, or `spec.port` where there is none; a port by name is no number and is left
 * out. Texts and numbers of `spec` are attributes by their names.
 */
export function instancesOf(key: ServiceKey, views: readonly ViewObject[]): Instance[] {
  return views.flatMap((view) => {
    const spec = isObject(view.spec) ? view.spec : {}
    const common = { ...attributesOf(spec), ...portOf(spec), ...ownershipOf(key) }
    const viewName = `${view.kind}/${view.metadata.name}`
    return addressesOf(spec).map((address) => ({
      id: idOf(key, viewName, address),
      attributes: {
        ...common,
        ...addressAttribute(address),
        [ATTRIBUTE_VIEW]: viewName.slice(0, MAX_VALUE_LENGTH),
      },
    }))
  })
}

function addressesOf({ address, addresses }: JsonObject): string[] {
  const list = Array.isArray(addresses) ? addresses : [address]
  return [...new Set(list.filter((one) => typeof one === 'string' && one !== ''))] as string[]
}

function addressAttribute(address: string): Record<string, string> {
  const family = isIP(address)
  if (family === 0) return { AWS_INSTANCE_CNAME: address }
  return family === 4 ? { AWS_INSTANCE_IPV4: address } : { AWS_INSTANCE_IPV6: address }
}

function portOf({ port, targetPort = port }: JsonObject): Record<string, string> {
  const number = targetPort === null ? port : targetPort
  return typeof number === 'number' ? { AWS_INSTANCE_PORT: String(number) } : {}
}

function attributesOf({ address: _, addresses: __, ...spec }: JsonObject): Record<string, string> {
  const reserved = 5
  const entries = Object.entries(spec).flatMap(([name, value]): [string, string][] => {
    const isScalar = typeof value === 'number' || (typeof value === 'string' && value !== '')
    if (!isScalar || !ATTRIBUTE_NAME.test(name) || name.startsWith('AWS_')) return []
    const text = String(value)
    return text.length > MAX_VALUE_LENGTH ? [] : [[name, text]]
  })
  return Object.fromEntries(entries.slice(0, MAX_ATTRIBUTES - reserved))
}

const idOf = (key: ServiceKey, viewName: string, address: string): string =>
  createHash('sha256')
    .update(JSON.stringify([key.cluster, key.namespace, key.service, viewName, address]))
    .digest('hex')
    .slice(0, 40)

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
