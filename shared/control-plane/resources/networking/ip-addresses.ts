import { subdomainName } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import { isObject, objectAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { ipErrors } from '../../apimachinery/validation/ip.ts'
import { pathSegmentName } from '../../apimachinery/validation/names.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { ageOf } from '../../apiserver/table/format.ts'
import { builtInKind } from '../built-in-kind.ts'

/** Addresses that something holds, named by what they are (KEP-1880). */
export const ipAddresses: ResourceDefinition = {
  ...builtInKind('networking.k8s.io', 'IPAddress'),
  namespaced: false,
  shortNames: ['ip'],
  nameRule: (name) =>
    ipErrors('', name).map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, '')),
  table: tableOf('ipaddresses', (object, now) => [
    object.metadata.name ?? '',
    parentText(object),
    // Upstream has no column for it, but a cell.
    ageOf(object, now),
  ]),
  strategy: { validate: parentErrors, validateUpdate: immutableErrors },
}

const MEMBERS = [
  ['group', subdomainName, false],
  ['resource', pathSegmentName, true],
  ['name', pathSegmentName, true],
  ['namespace', pathSegmentName, false],
] as const

function parentErrors(object: KubeObject): FieldError[] {
  const at = 'spec.parentRef'
  const spec = objectAt(object, 'spec')
  if (!isObject(spec.parentRef)) return [required(at)]
  const parent = spec.parentRef
  return MEMBERS.flatMap(([member, rule, isRequired]) => {
    const value = stringAt(parent, member)
    if (value === '') return isRequired ? [required(`${at}.${member}`)] : []
    return rule(value).map((text) => invalidValue(`${at}.${member}`, value, text))
  })
}

function immutableErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const { parentRef } = objectAt(object, 'spec')
  if (sameJson(parentRef, objectAt(old, 'spec').parentRef)) return []
  return [invalidValue('spec.parentRef', parentRef, 'field is immutable')]
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
