import { labelKey, labelName, type NameRule, subdomainName } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, notSupported, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { listAt, numberAt, objectsAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { endpointIpErrors, legacyIpErrors } from '../../apimachinery/validation/ip.ts'

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']
const LARGEST_PORT = 65_535

/** Validates the subsets (upstream: ValidateEndpoints). */
export function endpointsErrors(endpoints: KubeObject): FieldError[] {
  return objectsAt(endpoints, 'subsets').flatMap((subset, index) => subsetErrors(`subsets[${index}]`, subset))
}

/** Subsets that stay as they are stay valid, whatever older versions have let in. */
export function endpointsUpdateErrors(endpoints: KubeObject, old: KubeObject): FieldError[] {
  return sameJson(listAt(endpoints, 'subsets'), listAt(old, 'subsets')) ? [] : endpointsErrors(endpoints)
}

function subsetErrors(at: string, subset: JsonObject): FieldError[] {
  const ports = objectsAt(subset, 'ports')
  const lists = ['addresses', 'notReadyAddresses']
  const isEmpty = lists.every((list) => listAt(subset, list).length === 0)
  return [
    ...(isEmpty ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...lists.flatMap((list) =>
      objectsAt(subset, list).flatMap((address, index) => addressErrors(`${at}.${list}[${index}]`, address)),
    ),
    ...ports.flatMap((port, index) => portErrors(`${at}.ports[${index}]`, port, ports.length > 1)),
  ]
}

function addressErrors(at: string, address: JsonObject): FieldError[] {
  const ip = stringAt(address, 'ip')
  const malformed = legacyIpErrors(`${at}.ip`, ip)
  return [
    ...malformed,
    ...ruleErrors(`${at}.hostname`, stringAt(address, 'hostname'), labelName),
    ...(typeof address.nodeName === 'string'
      ? subdomainName(address.nodeName).map((text) => invalidValue(`${at}.nodeName`, address.nodeName, text))
      : []),
    ...(malformed.length > 0
      ? [invalidValue(`${at}.ip`, ip, 'must be a valid IP address')]
      : endpointIpErrors(`${at}.ip`, ip)),
  ]
}

function portErrors(at: string, port: JsonObject, named: boolean): FieldError[] {
  const name = stringAt(port, 'name')
  const number = numberAt(port, 'port') ?? 0
  const protocol = stringAt(port, 'protocol')
  return [
    ...(named && name === '' ? [required(`${at}.name`)] : ruleErrors(`${at}.name`, name, labelName)),
    ...(number >= 1 && number <= LARGEST_PORT
      ? []
      : [invalidValue(`${at}.port`, number, 'must be between 1 and 65535, inclusive')]),
    ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, PROTOCOLS)]),
    ...(typeof port.appProtocol === 'string'
      ? labelKey(port.appProtocol).map((text) => invalidValue(`${at}.appProtocol`, port.appProtocol, text))
      : []),
  ]
}

/** Validates a text by a rule. An empty text counts as none. */
function ruleErrors(field: string, value: string, rule: NameRule): FieldError[] {
  return value === '' ? [] : rule(value).map((text) => invalidValue(field, value, text))
}
