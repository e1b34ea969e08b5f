import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { APPROVAL, approvalOf, isCommunityGroup } from '../approval.ts'
import { isTrue, specOf } from '../crd.ts'

/** Refuses changes: the resource's name never changes, its scope and kind not once it is served. */
export function validateSpecUpdate(spec: Field, old: KubeObject): void {
  const before = specOf(old)
  const names = objectAt(before, 'names')
  if (isTrue(old, 'Established')) {
    spec.child('scope').unchanged(before.scope)
    spec.child('names', 'kind').unchanged(names.kind)
  }
  spec.child('group').unchanged(before.group)
  spec.child('names', 'plural').unchanged(names.plural)
}

/** Checks that versions in which objects may still be stored are not removed. */
export function validateStoredVersions(crd: Field): void {
  const stored = crd.child('status', 'storedVersions')
  if (stored.list.length === 0) stored.invalid('must have at least one stored version', [])
  const versions = crd.child('spec', 'versions').items()
  const names = new Set(versions.map((version) => version.child('name').text))
  for (const name of stored.items())
    if (!names.has(name.text))
      name.invalid(
        `missing from spec.versions; ${name.text} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name.text} and removes ${name.text} from status.storedVersions`,
      )
}

/** Checks that an API of a community group says whether it is approved. An update may leave what it finds. */
export function validateApproval(crd: Field, old?: KubeObject): void {
  const object = crd.value as KubeObject
  const { state, message } = approvalOf(object)
  if (!isCommunityGroup(object) || (old && approvalOf(old).state === state)) return
  const annotation = crd.child('metadata', 'annotations').key(APPROVAL)
  if (state === 'Missing') annotation.required(message)
  if (state === 'Invalid') annotation.invalid(message)
}
