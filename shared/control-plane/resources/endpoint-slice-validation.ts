import { labelKey, labelName, labelValue, type NameRule, subdomainName } from '../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../apimachinery/errors/field.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { endpointIpErrors, familyOf, ipErrors } from '../apimachinery/validation/ip.ts'

/** Limits of discovery.k8s.io/v1. */
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000
const MAX_HINTS = 8
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

export function endpointSliceErrors(slice: KubeObject): FieldError[] {
  const addressType = stringAt(slice, 'addressType')
  const endpoints = objectsAt(slice, 'endpoints')
  const ports = objectsAt(slice, 'ports')
  return [
    ...addressTypeErrors(addressType),
    ...(endpoints.length > MAX_ENDPOINTS
      ? [tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)]
      : endpoints.flatMap((endpoint, index) => endpointErrors(`endpoints[${index}]`, endpoint, addressType))),
    ...(ports.length > MAX_PORTS ? [tooMany('ports', ports.length, MAX_PORTS)] : portErrors(ports)),
  ]
}

export function endpointSliceUpdateErrors(slice: KubeObject, old: KubeObject): FieldError[] {
  const addressType = stringAt(slice, 'addressType')
  return addressType === stringAt(old, 'addressType')
    ? []
    : [invalidValue('addressType', addressType, 'field is immutable')]
}

function addressTypeErrors(addressType: string): FieldError[] {
  if (addressType === '') return [required('addressType')]
  return ADDRESS_TYPES.includes(addressType) ? [] : [notSupported('addressType', addressType, ADDRESS_TYPES)]
}

function endpointErrors(at: string, endpoint: JsonObject, addressType: string): FieldError[] {
  return [
    ...addressesErrors(`${at}.addresses`, stringsAt(endpoint, 'addresses'), addressType),
    ...optional(endpoint, 'nodeName', subdomainName, at),
    ...optional(endpoint, 'hostname', labelName, at),
    ...hintErrors(`${at}.hints.forZones`, objectsAt(objectAt(endpoint, 'hints'), 'forZones'), labelValue),
    ...hintErrors(`${at}.hints.forNodes`, objectsAt(objectAt(endpoint, 'hints'), 'forNodes'), subdomainName),
  ]
}

function optional(parent: JsonObject, member: string, rule: NameRule, at: string): FieldError[] {
  const value = parent[member]
  return typeof value === 'string' ? ruleErrors(`${at}.${member}`, value, rule) : []
}

function ruleErrors(field: string, value: string, rule: NameRule): FieldError[] {
  return rule(value).map((text) => invalidValue(field, value, text))
}

function addressesErrors(at: string, addresses: readonly string[], addressType: string): FieldError[] {
  if (addresses.length === 0) return [required(at, 'must contain at least 1 address')]
  if (addresses.length > MAX_ADDRESSES) return [tooMany(at, addresses.length, MAX_ADDRESSES)]
  return addresses.flatMap((address, index) => addressErrors(at, index, address, addressType))
}

function addressErrors(at: string, index: number, address: string, addressType: string): FieldError[] {
  const field = `${at}[${index}]`
  if (addressType === 'FQDN') return ruleErrors(field, address.replace(/\.$/, ''), subdomainName)
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return []
  const malformed = ipErrors(field, address)
  if (malformed.length > 0) return malformed
  return familyOf(address) === addressType
    ? endpointIpErrors(field, address)
    : [invalidValue(at, address, `must be an ${addressType} address`)]
}

function hintErrors(at: string, hints: readonly JsonObject[], rule: NameRule): FieldError[] {
  if (hints.length > MAX_HINTS) return [tooMany(at, hints.length, MAX_HINTS)]
  const seen = new Set<string>()
  return hints.flatMap((hint, index) => {
    const name = stringAt(hint, 'name')
    const field = `${at}[${index}].name`
    const repeated = seen.has(name) ? [duplicate(field, name)] : []
    seen.add(name)
    return [...repeated, ...ruleErrors(field, name, rule)]
  })
}

function portErrors(ports: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>()
  return ports.flatMap((port, index) => {
    const at = `ports[${index}]`
    const name = stringAt(port, 'name')
    const protocol = stringAt(port, 'protocol')
    const repeated = seen.has(name) ? [duplicate(`${at}.name`, name)] : []
    seen.add(name)
    return [
      ...(name === '' ? [] : ruleErrors(`${at}.name`, name, labelName)),
      ...repeated,
      ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, PROTOCOLS)]),
      ...optional(port, 'appProtocol', labelKey, at),
    ]
  })
}
