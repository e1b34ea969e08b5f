import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { Json, JsonObject, ViewObject } from '../../../shared/views/index.ts'
import type { Instance } from './instance-registry.ts'

/** Attribute with the cluster of an instance's Service. Instances without both attributes are left alone. */
const ATTRIBUTE_CLUSTER = 'sliceflow-cluster'
const ATTRIBUTE_SERVICE = 'sliceflow-service'
/** `Kind/name` of the view object. */
export const ATTRIBUTE_VIEW = 'sliceflow-view'

/**
 * Cloud Map's limits: 30 attributes an instance, values of 1,024 characters, 5,000 characters in all; of
 * printable ASCII, values with spaces in them. It refuses an instance that is beyond them.
 */
const MAX_ATTRIBUTES = 30
const MAX_VALUE_LENGTH = 1_024
const MAX_TOTAL_LENGTH = 5_000
const ATTRIBUTE_NAME = /^[!-~]{1,255}$/
const ATTRIBUTE_VALUE = /^[!-~][ -~]{0,1023}$/

/** Names the Cloud Map service of a Kubernetes Service, the same for all clusters. */
export const cloudMapServiceOf = ({ namespace, service }: ServiceKey): string => `${service}.${namespace}`

export const ownershipOf = ({ cluster, namespace, service }: ServiceKey): Record<string, string> => ({
  [ATTRIBUTE_CLUSTER]: printable(cluster).slice(-MAX_VALUE_LENGTH),
  [ATTRIBUTE_SERVICE]: `${namespace}/${service}`,
})

/**
 * Makes one instance for each address of a view object: of `spec.address`, or of the list `spec.addresses`.
 * The port is `spec.targetPort`, or `spec.port` where there is none; a port by name is no number and is left
 * out. Texts and numbers of `spec` are attributes by their names, as far as Cloud Map takes them.
 */
export function instancesOf(key: ServiceKey, views: readonly ViewObject[]): Instance[] {
  return views.flatMap((view) => {
    const spec = isObject(view.spec) ? view.spec : {}
    const viewName = `${view.kind}/${view.metadata.name}`
    const common = {
      ...portOf(spec),
      ...ownershipOf(key),
      [ATTRIBUTE_VIEW]: printable(viewName).slice(0, MAX_VALUE_LENGTH),
    }
    return addressesOf(spec).map((address) => ({
      id: idOf(key, viewName, address),
      attributes: withAttributesOf(spec, { ...common, ...addressAttribute(address) }),
    }))
  })
}

function addressesOf({ address, addresses }: JsonObject): string[] {
  const list = Array.isArray(addresses) ? addresses : [address]
  return [...new Set(list.filter((one) => typeof one === 'string' && ATTRIBUTE_VALUE.test(one)))] as string[]
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

/** Adds what `spec` says to attributes of ours, each one that there is room for. */
function withAttributesOf(
  { address: _, addresses: __, ...spec }: JsonObject,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const attributes = { ...own }
  let length = Object.entries(own).flat().join('').length
  for (const [name, value] of Object.entries(spec)) {
    const isScalar = typeof value === 'number' || typeof value === 'string'
    const isTaken = Object.hasOwn(own, name) || name.startsWith('AWS_')
    const text = String(value)
    if (!isScalar || isTaken || !ATTRIBUTE_NAME.test(name) || !ATTRIBUTE_VALUE.test(text)) continue
    const isFull = Object.keys(attributes).length === MAX_ATTRIBUTES
    if (isFull || length + name.length + text.length > MAX_TOTAL_LENGTH) continue
    attributes[name] = text
    length += name.length + text.length
  }
  return attributes
}

/** Encodes what a value must not have, so that different names stay different. */
const printable = (name: string): string =>
  name.toWellFormed().replaceAll(/^ |[^ -~]/gu, (character) => encodeURIComponent(character))

const idOf = (key: ServiceKey, viewName: string, address: string): string =>
  createHash('sha256')
    .update(JSON.stringify([key.cluster, key.namespace, key.service, viewName, address]))
    .digest('hex')
    .slice(0, 40)

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
