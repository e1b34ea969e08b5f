import { type FieldError, invalidValue, required } from '../../errors/index.ts'
import type { JsonObject } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import { type Names, namesAt, specOf } from '../crd.ts'

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LONGEST = 63

/** What keeps a text from being a DNS label that begins with a letter (RFC 1035). */
export function dns1035Label(value: string): string[] {
  return [
    ...(Buffer.byteLength(value) > LONGEST ? [`must be no more than ${LONGEST} bytes`] : []),
    ...(LABEL.test(value) ? [] : [LABEL_TEXT]),
  ]
}

/** The name must be made of the plural and the group. */
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
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${at}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => plain(`categories[${index}]`, name)),
  ]
}
