import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import { APPROVAL, approvalOf, isCommunityGroup } from '../approval.ts'

const AT = `metadata.annotations[${APPROVAL}]`

/** Checks that an API of a community group says whether it is approved. An update may leave what it finds. */
export function approvalErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!isCommunityGroup(crd)) return []
  const { state, message } = approvalOf(crd)
  if (old && approvalOf(old).state === state) return []
  if (state === 'Missing') return [required(AT, message)]
  return state === 'Invalid' ? [invalidValue(AT, annotationsOf(crd)[APPROVAL], message)] : []
}
