import { subdomainName } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, notSupported, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'
import { specOf, versionsOf } from '../crd.ts'
import type { SchemaTools } from '../schema-tools.ts'
import { conversionErrors } from './conversion.ts'
import { namesErrors } from './names.ts'
import { type VersionPlaces, versionErrors } from './version.ts'

/** Validates `spec` as upstream's ValidateCustomResourceDefinition does. `old` is what an update replaces. */
export function specErrors(crd: KubeObject, old: KubeObject | undefined, tools: SchemaTools): FieldError[] {
  const spec = specOf(crd)
  const versions = versionsOf(crd)
  return [
    ...groupErrors(stringAt(spec, 'group')),
    ...scopeErrors(stringAt(spec, 'scope')),
    ...versions.flatMap((version, index) => schemaNeeded(version, index)),
    ...versions.flatMap((version, index) => versionErrors(version, placesOf(versions, index, old), tools)),
    ...versionsErrors(versions),
    ...namesErrors(spec),
    ...conversionErrors(crd, old),
  ]
}

/** Returns the places of a version's parts. Upstream reports errors of parts that all share only once. */
function placesOf(
  versions: readonly JsonObject[],
  index: number,
  old: KubeObject | undefined,
): VersionPlaces {
  const [first] = versions
  const at = `spec.versions[${index}]`
  const place = (member: string, above: string): string | undefined => {
    const isShared = versions.every((version) => sameJson(version[member], first?.[member]))
    if (!isShared) return `${at}.${member}`
    return index === 0 ? above : undefined
  }
  const before = old && versionsOf(old).find(({ name }) => name === versions[index]?.name)
  return {
    at,
    schemaIsStored: before !== undefined && sameJson(before.schema, versions[index]?.schema),
    schema: place('schema', 'spec.validation'),
    subresources: place('subresources', 'spec.subresources'),
    additionalPrinterColumns: place('additionalPrinterColumns', 'spec.additionalPrinterColumns'),
    selectableFields: place('selectableFields', 'spec.selectableFields'),
  }
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [required('spec.group')]
  const errors = subdomainName(group)
  if (errors.length > 0) return [invalidValue('spec.group', group, errors.join(','))]
  return group.includes('.')
    ? []
    : [invalidValue('spec.group', group, 'should be a domain with at least one dot')]
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [required('spec.scope')]
  const scopes = ['Cluster', 'Namespaced']
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)]
}

function schemaNeeded(version: JsonObject, index: number): FieldError[] {
  return isObject(objectAt(version, 'schema').openAPIV3Schema)
    ? []
    : [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
}

function versionsErrors(versions: readonly JsonObject[]): FieldError[] {
  const at = 'spec.versions'
  const names = versions.map((version) => stringAt(version, 'name'))
  return [
    ...names.flatMap((name, index) => {
      const errors = dns1035Label(name)
      return errors.length > 0 ? [invalidValue(`${at}[${index}].name`, name, errors.join(','))] : []
    }),
    ...(new Set(names).size < names.length
      ? [invalidValue(at, [...versions], 'must contain unique version names')]
      : []),
    ...(versions.filter(({ storage }) => storage === true).length === 1
      ? []
      : [invalidValue(at, [...versions], 'must have exactly one version marked as storage version')]),
  ]
}
