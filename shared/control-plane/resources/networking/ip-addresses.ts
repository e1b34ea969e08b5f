import { subdomainName } from '../../../kubernetes/index.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import { strictIp } from '../../apimachinery/validation/ip.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { ageOf } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'

const table = tableOf('ipaddresses', (address) => ({ ParentRef: parentText(address) }))

/** Addresses that something holds, named by what they are (KEP-1880). */
export const ipAddresses: ResourceDefinition = {
  ...builtInKind('networking.k8s.io', 'IPAddress'),
  namespaced: false,
  shortNames: ['ip'],
  nameRule: strictIp,
  table: {
    ...table,
    // Upstream has no column for the age, but a cell.
    cells: (object, now) => [...table.cells(object, now), ageOf(object, now)],
  },
  strategy: { validate: errorsBy(validateAddress), validateUpdate: errorsBy(validateAddressUpdate) },
}

function validateAddress(address: Field): void {
  const parent = address.child('spec', 'parentRef')
  if (!parent.ifObject) {
    parent.required()
    return
  }
  parent.child('group').ifFilled?.follows(subdomainName)
  parent.child('resource').notEmpty()?.follows(pathSegmentName)
  parent.child('name').notEmpty()?.follows(pathSegmentName)
  parent.child('namespace').ifFilled?.follows(pathSegmentName)
}

function validateAddressUpdate(address: Field, old: KubeObject): void {
  address.child('spec', 'parentRef').unchanged(objectAt(old, 'spec').parentRef)
}

function parentText(object: KubeObject): string {
  const { parentRef } = objectAt(object, 'spec')
  if (!isObject(parentRef)) return '<none>'
  const group = stringAt(parentRef, 'group')
  const resource = stringAt(parentRef, 'resource')
  const parts = [
    (group ? `${resource}.${group}` : resource).toLowerCase(),
    stringAt(parentRef, 'namespace'),
    stringAt(parentRef, 'name'),
  ]
  return parts.filter((part) => part !== '').join('/')
}
