import { labelKey, labelName, labelValue, type NameRule, subdomainName } from '../../kubernetes/index.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { Field } from '../apimachinery/validation/field.ts'
import { endpointIp, familyOf, strictIp } from '../apimachinery/validation/ip.ts'
import { PROTOCOLS } from './services/spec.ts'

/** Limits of discovery.k8s.io/v1. */
const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000
const MAX_HINTS = 8
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6']

export function validateEndpointSlice(slice: Field): void {
  const addressType = slice.child('addressType')
  addressType.notEmpty()?.oneOf(ADDRESS_TYPES)
  const endpoints = slice.child('endpoints')
  if (endpoints.atMostItems(MAX_ENDPOINTS))
    for (const endpoint of endpoints.items()) validateEndpoint(endpoint, addressType.text)
  if (slice.child('ports').atMostItems(MAX_PORTS)) validatePorts(slice.child('ports'))
}

export function validateEndpointSliceUpdate(slice: Field, old: KubeObject): void {
  slice.child('addressType').unchanged(old.addressType)
}

function validateEndpoint(endpoint: Field, addressType: string): void {
  const addresses = endpoint.child('addresses')
  if (addresses.notEmpty('must contain at least 1 address') && addresses.atMostItems(MAX_ADDRESSES))
    for (const address of addresses.items()) validateAddress(address, addressType, addresses)
  endpoint.child('nodeName').ifSet?.follows(subdomainName)
  endpoint.child('hostname').ifSet?.follows(labelName)
  validateHints(endpoint.child('hints', 'forZones'), labelValue)
  validateHints(endpoint.child('hints', 'forNodes'), subdomainName)
}

function validateAddress(address: Field, addressType: string, addresses: Field): void {
  const { text } = address
  if (addressType === 'FQDN') address.with(text.replace(/\.$/, '')).follows(subdomainName)
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return
  if (!address.follows(strictIp)) return
  if (familyOf(text) === addressType) address.follows(endpointIp)
  else addresses.invalid(`must be an ${addressType} address`, text)
}

function validateHints(hints: Field, rule: NameRule): void {
  if (!hints.atMostItems(MAX_HINTS)) return
  const seen = new Set<string>()
  for (const hint of hints.items()) {
    hint.child('name').unique(seen)
    hint.child('name').follows(rule)
  }
}

function validatePorts(ports: Field): void {
  const seen = new Set<string>()
  for (const port of ports.items()) {
    port.child('name').ifFilled?.follows(labelName)
    port.child('name').unique(seen)
    port.child('protocol').oneOf(PROTOCOLS)
    port.child('appProtocol').ifSet?.follows(labelKey)
  }
}
