import { duplicate, type FieldError, required } from '../../apimachinery/errors/field.ts'
import { objectAt, objectsAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, nextGeneration } from '../../apimachinery/objects.ts'
import type { Strategy } from '../../apiserver/registry/definition/strategy.ts'

/** Validates the status. The key of a condition is its type. */
export function statusErrors(object: KubeObject): FieldError[] {
  const types = objectsAt(objectAt(object, 'status'), 'conditions').map((item) => stringAt(item, 'type'))
  return types.flatMap((type, index) => {
    const at = `status.conditions[${index}].type`
    return [
      ...(types.indexOf(type) < index ? [duplicate(at, type)] : []),
      ...(type === '' ? [required(at)] : []),
    ]
  })
}

/** Generations count the changes of the spec; `/status` takes nothing of the metadata. */
export const generations: Pick<
  Strategy,
  'prepareForCreate' | 'prepareForUpdate' | 'prepareForStatusUpdate' | 'validateStatusUpdate'
> = {
  prepareForCreate: (object) => {
    object.status = {}
    object.metadata.generation = 1
  },
  prepareForUpdate: (object, old) => {
    if (!sameJson(object.spec, old.spec)) object.metadata.generation = nextGeneration(old.metadata.generation)
  },
  prepareForStatusUpdate: (object, old) => {
    const { managedFields } = object.metadata
    object.metadata = { ...old.metadata, ...(managedFields === undefined ? {} : { managedFields }) }
  },
  validateStatusUpdate: statusErrors,
}
