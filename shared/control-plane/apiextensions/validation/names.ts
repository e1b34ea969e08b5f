import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'
import { type Names, namesAt, specOf } from '../crd.ts'

/** Checks that the name is made of the plural and the group. */
export function nameErrors(crd: KubeObject): FieldError[] {
  const spec = specOf(crd)
  const expected = `${namesAt(spec, 'names').plural}.${String(spec.group ?? '')}`
  const { name = '' } = crd.metadata
  return name === '' || name === expected
    ? []
    : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

export function namesErrors(spec: JsonObject): FieldError[] {
  const names = namesAt(spec, 'names')
  const needed = ['plural', 'singular', 'kind', 'listKind'] as const
  return [
    ...needed.filter((member) => names[member] === '').map((member) => required(`spec.names.${member}`)),
    ...labelErrors(names, 'spec.names'),
  ]
}

function labelErrors(names: Names, at: string): FieldError[] {
  const { plural, singular, kind, listKind, shortNames, categories } = names
  const plain = (member: string, value: string): FieldError[] => {
    const errors = value === '' ? [] : dns1035Label(value)
    return errors.length > 0 ? [invalidValue(`${at}.${member}`, value, errors.join(','))] : []
  }
  const mixed = (member: string, value: string): FieldError[] => {
    const errors = value === '' ? [] : dns1035Label(value.toLowerCase())
    const detail = `may have mixed case, but should otherwise match: ${errors.join(',')}`
    return errors.length > 0 ? [invalidValue(`${at}.${member}`, value, detail)] : []
  }
  return [
    ...plain('plural', plural),
    ...plain('singular', singular),
    ...mixed('kind', kind),
    ...mixed('listKind', listKind),
    ...shortNames.flatMap((name, index) => plain(`shortNames[${index}]`, name)),
    ...categories.flatMap((name, index) => plain(`categories[${index}]`, name)),
  ]
}
