import { labelKey, labelName, portName, subdomainName } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { familyOf, legacyIp } from '../../apimachinery/validation/ip.ts'
import { validateLabels } from '../../apimachinery/validation/metadata.ts'
import {
  hasClusterIp,
  hasNodePorts,
  isExternallyAccessible,
  isHeadless,
  NONE,
  PROTOCOLS,
  specOf,
  typeOf,
} from './spec.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const FAMILIES = ['IPv4', 'IPv6']
const POLICIES = ['SingleStack', 'PreferDualStack', 'RequireDualStack']
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const RANGE = 'must be between 1 and 65535, inclusive'

export function validateService(service: Field): void {
  const spec = service.child('spec')
  const isExternalName = typeOf(spec.object) === 'ExternalName'
  if (!isHeadless(spec.object) && !isExternalName) spec.child('ports').notEmpty()
  if (isExternalName) {
    const name = spec.child('externalName')
    name.with(name.text.replace(/\.$/, '')).notEmpty()?.follows(subdomainName)
  }
  validatePorts(spec.child('ports'))
  validateLabels(spec.child('selector'))
  spec.child('sessionAffinity').ifSet?.oneOf(['ClientIP', 'None'])
  spec.child('type').ifSet?.oneOf(TYPES)
  for (const address of spec.child('externalIPs').items()) address.follows(legacyIp)
  validateNodePorts(spec)
  validateTraffic(spec)
  validateClusterIps(spec)
}

function validatePorts(ports: Field): void {
  const names = new Set<string>()
  const several = ports.list.length > 1
  for (const port of ports.items()) validatePort(port, several, names)
  const seen = new Set<string>()
  for (const port of ports.items()) {
    const key = `${port.object.protocol}/${port.object.port}`
    if (seen.has(key)) port.duplicate(portKey(port))
    seen.add(key)
  }
}

/** Returns upstream's value for a repeated port: its internal struct with only the key filled in. */
function portKey(port: Field): JsonObject {
  return {
    Name: '',
    Protocol: port.child('protocol').text,
    AppProtocol: null,
    Port: port.child('port').number,
    TargetPort: 0,
    NodePort: 0,
  }
}

function validatePort(port: Field, several: boolean, names: Set<string>): void {
  const name = several ? port.child('name').notEmpty() : port.child('name').ifFilled
  name?.follows(labelName)
  name?.unique(names)
  port.child('port').between(1, 65_535, RANGE)
  port.child('protocol').oneOf(PROTOCOLS)
  const target = port.child('targetPort')
  if (typeof target.value === 'string') target.follows(portName)
  else target.ifSet?.between(1, 65_535, RANGE)
  port.child('appProtocol').ifSet?.follows(labelKey)
}

function validateNodePorts(spec: Field): void {
  const type = typeOf(spec.object)
  if (hasNodePorts(spec.object) || type === 'LoadBalancer') return
  for (const port of spec.child('ports').items()) {
    const nodePort = port.child('nodePort')
    if (nodePort.number !== 0) nodePort.forbidden(`may not be used when \`type\` is '${type}'`)
  }
}

function validateTraffic(spec: Field): void {
  const external = spec.child('externalTrafficPolicy').ifSet
  if (isExternallyAccessible(spec.object)) external?.oneOf(['Cluster', 'Local'])
  else external?.invalid('may only be set for externally-accessible services')
  spec.child('internalTrafficPolicy').ifSet?.oneOf(['Cluster', 'Local'])
  spec.child('trafficDistribution').ifSet?.oneOf(DISTRIBUTIONS)
}

/** Validates cluster IPs, families and their policy, which all depend on each other. */
export function validateClusterIps(spec: Field): void {
  if (hasClusterIp(spec.object)) {
    validateFamilies(spec)
    validateAddresses(spec)
    return
  }
  const fields = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map((member) => spec.child(member))
  fields.find(({ ifSet }) => ifSet)?.forbidden('may not be set for ExternalName services')
}

function validateFamilies(spec: Field): void {
  const policy = spec.child('ipFamilyPolicy')
  let isRight = policy.ifSet?.oneOf(POLICIES) ?? true
  const seen = new Set<string>()
  const families = spec.child('ipFamilies').items()
  for (const family of families) if (!family.oneOf(FAMILIES) || !family.unique(seen)) isRight = false
  if (isRight && families.length === 2 && policy.value === 'SingleStack')
    policy.invalid("must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified")
}

function validateAddresses(spec: Field): void {
  const list = spec.child('clusterIPs')
  const addresses = list.strings
  validateFirstAddress(spec.child('clusterIP').text, list)
  const malformed = list.items().filter((address, index) => !isAddress(address, index, list))
  if (addresses.length > 2) list.invalid('may only hold up to 2 values')
  // Of what is no address the family is not known.
  if (malformed.length > 0) return
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size < 2)
    list.invalid('may specify no more than one IP for each IP family')
  if (isHeadless(spec.object)) return
  for (const [index, address] of list.items().entries()) {
    const family = spec.child('ipFamilies').strings[index]
    if (family && family !== familyOf(address.text))
      address.invalid(`expected an ${family} value as indicated by \`ipFamilies[${index}]\``)
  }
}

/** Checks a cluster IP. `None` stands alone. */
function isAddress(address: Field, index: number, list: Field): boolean {
  if (index > 0 || address.text !== NONE) return address.follows(legacyIp)
  if (list.list.length > 1) list.invalid("'None' must be the first and only value")
  return list.list.length === 1
}

/** Checks that `clusterIP` and the first of `clusterIPs` are the same. */
function validateFirstAddress(address: string, addresses: Field): void {
  const [first] = addresses.strings
  if (address !== '' && first === undefined) addresses.required()
  else if (address === '' && first !== undefined)
    addresses.invalid('must be empty when `clusterIP` is not specified')
  else if (first !== undefined && first !== address) addresses.invalid('first value must match `clusterIP`')
}

/** Validates an update. The first cluster IP and family stay for life, as long as the type has them. */
export function validateServiceUpdate(service: Field, old: KubeObject): void {
  const spec = service.child('spec')
  const before = specOf(old)
  if (!hasClusterIp(spec.object) || !hasClusterIp(before)) return
  const [addresses, families] = [spec.child('clusterIPs'), spec.child('ipFamilies')]
  const [former] = stringsAt(before, 'clusterIPs')
  if (former && addresses.item(0).value !== former) {
    addresses.item(0).invalid('may not change once set', addresses.strings)
    return
  }
  const [formerFamily] = stringsAt(before, 'ipFamilies')
  if (former === NONE && formerFamily && families.item(0).value !== formerFamily)
    families.item(0).invalid('may not change once set')
}
