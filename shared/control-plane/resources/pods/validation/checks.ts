import { portName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'

export const PORT_RANGE = 'must be between 1 and 65535, inclusive'
const LARGEST_ID = 2 ** 31 - 1

/** Validates the id of a user or a group. */
export function validateId(id: Field): void {
  id.ifSet?.between(0, LARGEST_ID, `must be between 0 and ${LARGEST_ID}, inclusive`)
}

/** Validates a port by number or name. */
export function validatePort(port: Field): void {
  if (typeof port.value === 'string') port.follows(portName)
  else port.between(1, 65_535, PORT_RANGE)
}

/** Validates a path that may not leave its folder. */
export function validateDescendingPath(path: Field): void {
  if (path.text.startsWith('/')) path.invalid('must be a relative path')
  validateNoBacksteps(path)
}

export function validateNoBacksteps(path: Field): void {
  if (path.text.split('/').includes('..')) path.invalid("must not contain '..'")
}

/** Validates the one member that says what kind of thing an object is; a second one is forbidden. */
export function validateKind(
  object: Field,
  what: string,
  kinds: readonly string[],
  checks: Readonly<Record<string, ((member: Field) => void) | undefined>>,
): void {
  const [kind, ...others] = kinds.filter((member) => object.child(member).ifObject)
  if (kind === undefined) {
    object.required(`must specify a ${what} type`)
    return
  }
  checks[kind]?.(object.child(kind))
  for (const other of others) object.child(other).forbidden(`may not specify more than 1 ${what} type`)
}
