import { subdomainName } from '../../../kubernetes/index.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'
import { versionsOf } from '../crd.ts'
import type { SchemaTools } from '../schema-tools.ts'
import { validateConversion } from './conversion.ts'
import { validateNames } from './names.ts'
import { type VersionParts, validateVersion } from './version.ts'

/** Validates `spec` as upstream's ValidateCustomResourceDefinition does. `old` is what an update replaces. */
export function validateSpec(spec: Field, old: KubeObject | undefined, tools: SchemaTools): void {
  const versions = spec.child('versions')
  validateGroup(spec.child('group'))
  spec.child('scope').notEmpty()?.oneOf(['Cluster', 'Namespaced'])
  for (const version of versions.items()) {
    const schema = version.child('schema', 'openAPIV3Schema')
    if (!schema.ifObject) schema.required()
  }
  for (const [index, version] of versions.items().entries())
    validateVersion(version, partsOf(spec, index, old), tools)
  validateVersions(versions)
  validateNames(spec.child('names'))
  validateConversion(spec.child('conversion'), old)
}

/** Returns a version's parts. Upstream reports errors of parts that all versions share only once. */
function partsOf(spec: Field, index: number, old: KubeObject | undefined): VersionParts {
  const versions = spec.child('versions')
  const own = versions.item(index)
  const part = (member: string, above = member): Field | undefined => {
    const field = own.child(member)
    const isShared = versions.items().every((version) => sameJson(version.child(member).value, field.value))
    if (!isShared) return field
    return index === 0 ? field.as(`spec.${above}`) : undefined
  }
  const before = old && versionsOf(old).find(({ name }) => name === own.object.name)
  return {
    schemaIsStored: before !== undefined && sameJson(before.schema, own.object.schema),
    schema: part('schema', 'validation'),
    subresources: part('subresources'),
    additionalPrinterColumns: part('additionalPrinterColumns'),
    selectableFields: part('selectableFields'),
  }
}

function validateGroup(group: Field): void {
  if (!group.notEmpty()) return
  const texts = subdomainName(group.text)
  if (texts.length > 0) group.invalid(texts.join(','))
  else if (!group.text.includes('.')) group.invalid('should be a domain with at least one dot')
}

function validateVersions(versions: Field): void {
  const names = versions.items().map((version) => version.child('name'))
  for (const name of names) {
    const texts = dns1035Label(name.text)
    if (texts.length > 0) name.invalid(texts.join(','), name.text)
  }
  if (new Set(names.map(({ text }) => text)).size < names.length)
    versions.invalid('must contain unique version names')
  const stored = versions.items().filter((version) => version.object.storage === true)
  if (stored.length !== 1) versions.invalid('must have exactly one version marked as storage version')
}
