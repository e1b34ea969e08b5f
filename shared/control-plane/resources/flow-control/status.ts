import { errorsBy, type Field } from '../../apimachinery/validation/field.ts'
import type { Strategy } from '../../apiserver/registry/definition/strategy.ts'
import { countChanges } from '../../apiserver/registry/writes/generation.ts'

/** Validates the status. The key of a condition is its type. */
export function validateStatus(object: Field): void {
  const seen = new Set<string>()
  for (const condition of object.child('status', 'conditions').items()) {
    condition.child('type').unique(seen)
    condition.child('type').notEmpty()
  }
}

/** Generations count the changes of the spec; `/status` takes nothing of the metadata. */
export const generations: Pick<
  Strategy,
  'prepareForCreate' | 'prepareForUpdate' | 'prepareForStatusUpdate' | 'validateStatusUpdate'
> = {
  prepareForCreate: (object) => {
    object.status = {}
    countChanges(object, undefined)
  },
  prepareForUpdate: (object, old) => countChanges(object, old, 'spec'),
  prepareForStatusUpdate: (object, old) => {
    const { managedFields } = object.metadata
    object.metadata = { ...old.metadata, ...(managedFields === undefined ? {} : { managedFields }) }
  },
  validateStatusUpdate: errorsBy(validateStatus),
}
