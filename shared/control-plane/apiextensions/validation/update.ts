import { type FieldError, invalidValue } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, sameJson, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { isTrue, specOf, statusOf, versionsOf } from '../crd.ts'

/** Reports forbidden changes: the resource's name never changes, its scope and kind not once it is served. */
export function specUpdateErrors(crd: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [specOf(crd), specOf(old)]
  const fixed = (field: string, value: JsonObject[string], former: JsonObject[string]): FieldError[] =>
    sameJson(value, former) ? [] : [invalidValue(field, value ?? null, 'field is immutable')]
  const name = (of: JsonObject, member: string): string => stringAt(objectAt(of, 'names'), member)
  return [
    ...(isTrue(old, 'Established')
      ? [
          ...fixed('spec.scope', spec.scope, before.scope),
          ...fixed('spec.names.kind', name(spec, 'kind'), name(before, 'kind')),
        ]
      : []),
    ...fixed('spec.group', spec.group, before.group),
    ...fixed('spec.names.plural', name(spec, 'plural'), name(before, 'plural')),
  ]
}

/** Checks that versions in which objects may still be stored are not removed. */
export function storedVersionErrors(crd: KubeObject): FieldError[] {
  const stored = stringsAt(statusOf(crd), 'storedVersions')
  const at = 'status.storedVersions'
  if (stored.length === 0) return [invalidValue(at, [], 'must have at least one stored version')]
  const names = new Set(versionsOf(crd).map((version) => stringAt(version, 'name')))
  return stored.flatMap((name, index) =>
    names.has(name)
      ? []
      : [
          invalidValue(
            `${at}[${index}]`,
            name,
            `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
          ),
        ],
  )
}
