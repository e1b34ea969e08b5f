import type { Field } from '../../apimachinery/validation/field.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'

/** Checks that the name is made of the plural and the group. */
export function validateName(crd: Field): void {
  const [name, spec] = [crd.child('metadata', 'name'), crd.child('spec')]
  const expected = `${spec.child('names', 'plural').text}.${spec.child('group').text}`
  if (name.text !== expected) name.ifFilled?.invalid('must be spec.names.plural+"."+spec.group')
}

export function validateNames(names: Field): void {
  const members = ['plural', 'singular', 'kind', 'listKind'].map((member) => names.child(member))
  const [plural, singular, ...kinds] = members
  for (const name of members) name.notEmpty()
  for (const name of [plural, singular]) if (name) validateLabel(name)
  for (const kind of kinds) {
    const texts = kind.text === '' ? [] : dns1035Label(kind.text.toLowerCase())
    if (texts.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${texts.join(',')}`)
  }
  for (const name of [...names.child('shortNames').items(), ...names.child('categories').items()])
    validateLabel(name)
}

/** Checks a label that may be empty, with all that is wrong with it in one error. */
export function validateLabel(name: Field): void {
  const texts = name.text === '' ? [] : dns1035Label(name.text)
  if (texts.length > 0) name.invalid(texts.join(','))
}
