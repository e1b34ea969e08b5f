import { listAt, numberAt, objectsAt, sameJson, stringAt, stringsAt } from '../apimachinery/json/values.ts'
import { type KubeObject, nextGeneration } from '../apimachinery/objects.ts'
import { errorsBy } from '../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { firstFew } from '../apiserver/table/format.ts'
import { builtInKind } from './built-in-kind.ts'
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice-validation.ts'

export const endpointSlices: ResourceDefinition = {
  ...builtInKind('discovery.k8s.io', 'EndpointSlice'),
  namespaced: true,
  table: tableOf('endpointslices', (slice) => ({
    AddressType: stringAt(slice, 'addressType'),
    Ports: orUnset(firstFew(objectsAt(slice, 'ports').map((port) => portText(numberAt(port, 'port'))))),
    Endpoints: orUnset(firstFew(objectsAt(slice, 'endpoints').flatMap((one) => stringsAt(one, 'addresses')))),
  })),
  strategy: {
    setDefaults,
    prepareForCreate: (object) => {
      object.metadata.generation = 1
    },
    prepareForUpdate: (object, old) => {
      if (isChanged(object, old)) object.metadata.generation = nextGeneration(old.metadata.generation)
    },
    warn: (object, old, warnings) => {
      if (old === undefined) warnOfNames(object, warnings)
    },
    validate: errorsBy(validateEndpointSlice),
    validateUpdate: errorsBy(validateEndpointSliceUpdate),
  },
}

function portText(port: number | undefined): string {
  return port === undefined ? '*' : String(port)
}

function orUnset(text: string): string {
  return text === '' ? '<unset>' : text
}

function setDefaults(object: KubeObject): void {
  for (const port of objectsAt(object, 'ports')) {
    port.name ??= ''
    port.protocol ??= 'TCP'
  }
  // Of discovery/v1beta1; in v1 it is accepted and dropped.
  for (const endpoint of objectsAt(object, 'endpoints')) delete endpoint.deprecatedTopology
}

/** Labels and annotations count too: upstream compares them as part of the content. */
function isChanged(object: KubeObject, old: KubeObject): boolean {
  return (
    !sameJson(listAt(object, 'endpoints'), listAt(old, 'endpoints')) ||
    !sameJson(listAt(object, 'ports'), listAt(old, 'ports')) ||
    !sameJson(object.metadata.labels ?? {}, old.metadata.labels ?? {})
  )
}

function warnOfNames(object: KubeObject, warnings: string[]): void {
  if (object.addressType === 'FQDN') warnings.push('spec.addressType: FQDN endpoints are deprecated')
}
