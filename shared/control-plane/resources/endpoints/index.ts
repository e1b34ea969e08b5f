import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import { ipWarnings } from '../../apimachinery/validation/ip.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { orNone } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'
import { validateEndpoints, validateEndpointsUpdate } from './validation.ts'

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
const CONTROLLER = 'endpoint-controller'
/** Maximum number of addresses in a table. */
const SHOWN = 3

export const endpoints: ResourceDefinition = {
  ...builtInKind('', 'Endpoints'),
  namespaced: true,
  shortNames: ['ep'],
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  createOnUpdate: true,
  table: tableOf('endpoints', (endpoints) => ({ Endpoints: addressesOf(endpoints) })),
  strategy: {
    setDefaults,
    warn: (object, _old, warnings) => warn(object, warnings),
    validateCreate: errorsBy(validateEndpoints),
    validateUpdate: errorsBy(validateEndpointsUpdate),
  },
}

function setDefaults(object: KubeObject): void {
  for (const subset of objectsAt(object, 'subsets')) {
    for (const port of objectsAt(subset, 'ports')) port.protocol ??= 'TCP'
  }
}

/**
 * Adds warnings about addresses that are not in their standard form. The controller writes only standard
 * ones, so that its are not checked.
 */
function warn(object: KubeObject, warnings: string[]): void {
  if (labelsOf(object)[MANAGED_BY] === CONTROLLER) return
  for (const [index, subset] of objectsAt(object, 'subsets').entries()) {
    for (const list of ['addresses', 'notReadyAddresses']) {
      for (const [position, address] of objectsAt(subset, list).entries()) {
        warnings.push(...ipWarnings(`subsets[${index}].${list}[${position}].ip`, stringAt(address, 'ip')))
      }
    }
  }
}

/** Formats the first ready addresses with their ports, and the number of the others. */
function addressesOf(object: KubeObject): string {
  const all = objectsAt(object, 'subsets').flatMap(socketsOf)
  const shown = all.slice(0, SHOWN).join(',')
  return orNone(all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown)
}

function socketsOf(subset: JsonObject): string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => stringAt(address, 'ip'))
  const ports = objectsAt(subset, 'ports').map((port) => numberAt(port, 'port') ?? 0)
  if (ports.length === 0) return addresses
  return ports.flatMap((port) =>
    addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:${port}`),
  )
}
