import { labelKey, labelName, subdomainName } from '../../../kubernetes/index.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { endpointIp, legacyIp, sloppyIp } from '../../apimachinery/validation/ip.ts'
import { PROTOCOLS } from '../services/spec.ts'

/** Validates the subsets (upstream: ValidateEndpoints). */
export function validateEndpoints(endpoints: Field): void {
  for (const subset of endpoints.child('subsets').items()) validateSubset(subset)
}

/** Subsets that stay as they are stay valid, whatever older versions have let in. */
export function validateEndpointsUpdate(endpoints: Field, old: KubeObject): void {
  const subsets = endpoints.child('subsets')
  if (!sameJson([...subsets.list], Array.isArray(old.subsets) ? old.subsets : []))
    validateEndpoints(endpoints)
}

function validateSubset(subset: Field): void {
  const lists = ['addresses', 'notReadyAddresses'].map((member) => subset.child(member))
  if (lists.every(({ list }) => list.length === 0))
    subset.required('must specify `addresses` or `notReadyAddresses`')
  for (const address of lists.flatMap((list) => list.items())) validateAddress(address)
  const ports = subset.child('ports').items()
  for (const port of ports) {
    const name = port.child('name')
    const named = ports.length > 1 ? name.notEmpty() : name.ifFilled
    named?.follows(labelName)
    port.child('port').between(1, 65_535, 'must be between 1 and 65535, inclusive')
    port.child('protocol').oneOf(PROTOCOLS)
    port.child('appProtocol').ifSet?.follows(labelKey)
  }
}

function validateAddress(address: Field): void {
  const ip = address.child('ip')
  ip.follows(legacyIp)
  address.child('hostname').ifFilled?.follows(labelName)
  address.child('nodeName').ifSet?.follows(subdomainName)
  // Upstream parses it once more, with leading zeros (ValidateEndpointIP).
  const read = sloppyIp(ip.text)
  if (read === undefined) ip.invalid('must be a valid IP address', ip.text)
  else for (const why of endpointIp(read)) ip.invalid(why)
}
