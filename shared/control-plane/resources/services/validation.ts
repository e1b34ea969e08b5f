import { labelKey, labelName, portName, subdomainName } from '../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, sameJson, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, stringMap } from '../../apimachinery/objects.ts'
import { familyOf, legacyIpErrors } from '../../apimachinery/validation/ip.ts'
import { labelMapErrors } from '../../apimachinery/validation/metadata.ts'
import {
  hasClusterIp,
  hasNodePorts,
  isExternallyAccessible,
  isHeadless,
  NONE,
  specOf,
  typeOf,
} from './spec.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const FAMILIES = ['IPv4', 'IPv6']
const POLICIES = ['SingleStack', 'PreferDualStack', 'RequireDualStack']
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
const RANGE = 'must be between 1 and 65535, inclusive'

export function serviceErrors(service: KubeObject): FieldError[] {
  const spec = specOf(service)
  const type = typeOf(spec)
  return [
    ...(objectsAt(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName'
      ? [required('spec.ports')]
      : []),
    ...(type === 'ExternalName' ? externalNameErrors(spec) : []),
    ...portsErrors(spec),
    ...labelMapErrors('spec.selector', stringMap(spec.selector)),
    ...oneOf(spec, 'sessionAffinity', ['ClientIP', 'None']),
    ...oneOf(spec, 'type', TYPES),
    ...stringsAt(spec, 'externalIPs').flatMap((address, index) =>
      legacyIpErrors(`spec.externalIPs[${index}]`, address),
    ),
    ...nodePortErrors(spec),
    ...trafficErrors(spec),
    ...clusterIpErrors(spec),
  ]
}

function oneOf(spec: JsonObject, field: string, allowed: readonly string[]): FieldError[] {
  const value = spec[field]
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return []
  return [notSupported(`spec.${field}`, value, allowed)]
}

function externalNameErrors(spec: JsonObject): FieldError[] {
  const name = stringAt(spec, 'externalName').replace(/\.$/, '')
  return [
    ...(name === ''
      ? [required('spec.externalName')]
      : subdomainName(name).map((text) => invalidValue('spec.externalName', name, text))),
  ]
}

function portsErrors(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, 'ports')
  const names = new Set<string>()
  const errors = ports.flatMap((port, index) =>
    portErrors(`spec.ports[${index}]`, port, ports.length > 1, names),
  )
  const seen = new Set<string>()
  const repeated = ports.flatMap((port, index) => {
    const key = `${port.protocol}/${port.port}`
    const known = seen.has(key)
    seen.add(key)
    return known ? [duplicate(`spec.ports[${index}]`, portKey(port))] : []
  })
  return [...errors, ...repeated]
}

/** Returns upstream's value for a repeated port: its internal struct with only the key filled in. */
function portKey(port: JsonObject): JsonObject {
  return {
    Name: '',
    Protocol: stringAt(port, 'protocol'),
    AppProtocol: null,
    Port: numberAt(port, 'port') ?? 0,
    TargetPort: 0,
    NodePort: 0,
  }
}

function portErrors(at: string, port: JsonObject, several: boolean, names: Set<string>): FieldError[] {
  const name = stringAt(port, 'name')
  const number = numberAt(port, 'port') ?? 0
  const protocol = stringAt(port, 'protocol')
  const errors: FieldError[] = []
  if (name === '' && several) errors.push(required(`${at}.name`))
  if (name !== '') {
    errors.push(...labelName(name).map((text) => invalidValue(`${at}.name`, name, text)))
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  }
  if (number < 1 || number > 65_535) errors.push(invalidValue(`${at}.port`, number, RANGE))
  if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS))
  errors.push(...targetPortErrors(`${at}.targetPort`, port.targetPort))
  const { appProtocol } = port
  if (typeof appProtocol === 'string') {
    errors.push(...labelKey(appProtocol).map((text) => invalidValue(`${at}.appProtocol`, appProtocol, text)))
  }
  return errors
}

function targetPortErrors(field: string, target: JsonObject[string]): FieldError[] {
  if (typeof target === 'string') return portName(target).map((text) => invalidValue(field, target, text))
  if (typeof target === 'number' && (target < 1 || target > 65_535))
    return [invalidValue(field, target, RANGE)]
  return []
}

function nodePortErrors(spec: JsonObject): FieldError[] {
  if (hasNodePorts(spec) || typeOf(spec) === 'LoadBalancer') return []
  return objectsAt(spec, 'ports').flatMap((port, index) =>
    numberAt(port, 'nodePort')
      ? [
          forbiddenField(
            `spec.ports[${index}].nodePort`,
            `may not be used when \`type\` is '${typeOf(spec)}'`,
          ),
        ]
      : [],
  )
}

function trafficErrors(spec: JsonObject): FieldError[] {
  const external = spec.externalTrafficPolicy
  const misplaced = external !== undefined && !isExternallyAccessible(spec)
  return [
    ...(misplaced
      ? [
          invalidValue(
            'spec.externalTrafficPolicy',
            external,
            'may only be set for externally-accessible services',
          ),
        ]
      : oneOf(spec, 'externalTrafficPolicy', ['Cluster', 'Local'])),
    ...oneOf(spec, 'internalTrafficPolicy', ['Cluster', 'Local']),
    ...oneOf(spec, 'trafficDistribution', DISTRIBUTIONS),
  ]
}

/** Validates cluster IPs, families and their policy, which all depend on each other. */
export function clusterIpErrors(spec: JsonObject): FieldError[] {
  if (!hasClusterIp(spec)) {
    const field = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].find((member) => spec[member] !== undefined)
    return field ? [forbiddenField(`spec.${field}`, 'may not be set for ExternalName services')] : []
  }
  return [...familyErrors(spec), ...addressErrors(spec)]
}

function familyErrors(spec: JsonObject): FieldError[] {
  const families = stringsAt(spec, 'ipFamilies')
  const errors = oneOf(spec, 'ipFamilyPolicy', POLICIES)
  const seen = new Set<string>()
  for (const [index, family] of families.entries()) {
    const field = `spec.ipFamilies[${index}]`
    if (!FAMILIES.includes(family)) errors.push(notSupported(field, family, FAMILIES))
    else if (seen.has(family)) errors.push(duplicate(field, family))
    seen.add(family)
  }
  const distinct = errors.length === 0 && families.length === 2
  if (distinct && spec.ipFamilyPolicy === 'SingleStack') {
    const text = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"
    errors.push(invalidValue('spec.ipFamilyPolicy', 'SingleStack', text))
  }
  return errors
}

function addressErrors(spec: JsonObject): FieldError[] {
  const addresses = stringsAt(spec, 'clusterIPs')
  const wrong = (text: string): FieldError => invalidValue('spec.clusterIPs', [...addresses], text)
  const malformed = addresses.flatMap((address, index) => {
    if (index > 0 || address !== NONE) return legacyIpErrors(`spec.clusterIPs[${index}]`, address)
    return addresses.length > 1 ? [wrong("'None' must be the first and only value")] : []
  })
  const errors = [
    ...differingErrors(stringAt(spec, 'clusterIP'), addresses, wrong),
    ...malformed,
    ...(addresses.length > 2 ? [wrong('may only hold up to 2 values')] : []),
  ]
  // Of what is no address the family is not known.
  if (malformed.length > 0) return errors
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size < 2) {
    errors.push(wrong('may specify no more than one IP for each IP family'))
  }
  return isHeadless(spec)
    ? errors
    : [...errors, ...otherFamilyErrors(addresses, stringsAt(spec, 'ipFamilies'))]
}

/** Checks that `clusterIP` and the first of `clusterIPs` are the same. */
function differingErrors(
  address: string,
  [first]: readonly string[],
  wrong: (text: string) => FieldError,
): FieldError[] {
  if (address === '')
    return first === undefined ? [] : [wrong('must be empty when `clusterIP` is not specified')]
  if (first === undefined) return [required('spec.clusterIPs')]
  return first === address ? [] : [wrong('first value must match `clusterIP`')]
}

function otherFamilyErrors(addresses: readonly string[], families: readonly string[]): FieldError[] {
  return addresses.flatMap((address, index) => {
    const family = families[index]
    if (!family || family === familyOf(address)) return []
    const text = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``
    return [invalidValue(`spec.clusterIPs[${index}]`, address, text)]
  })
}

/** Validates an update. The first cluster IP and family stay for life, as long as the type has them. */
export function serviceUpdateErrors(service: KubeObject, old: KubeObject): FieldError[] {
  const spec = specOf(service)
  const before = specOf(old)
  if (!hasClusterIp(spec) || !hasClusterIp(before)) return []
  const addresses = stringsAt(spec, 'clusterIPs')
  const former = stringsAt(before, 'clusterIPs')
  if (former[0] && !sameJson(addresses[0], former[0])) {
    return [invalidValue('spec.clusterIPs[0]', [...addresses], 'may not change once set')]
  }
  const family = stringsAt(spec, 'ipFamilies')[0]
  const formerFamily = stringsAt(before, 'ipFamilies')[0]
  if (former[0] === NONE && formerFamily && family !== formerFamily) {
    return [invalidValue('spec.ipFamilies[0]', family, 'may not change once set')]
  }
  return []
}
