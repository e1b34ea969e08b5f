import { subdomainName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { dns1035Label, pathSegmentName } from '../../../apimachinery/validation/names.ts'
import { validateLabelSelector } from '../matching/label-selector.ts'

/** Validates the `paramKind` of a policy. An absent one is valid. */
export function validateParamKind(paramKind: Field): void {
  if (!paramKind.ifObject) return
  const kind = paramKind.child('kind')
  validateApiVersion(paramKind.child('apiVersion'))
  const texts = kind.notEmpty() ? dns1035Label(kind.text.toLowerCase()) : []
  if (texts.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${texts.join(',')}`)
}

function validateApiVersion(apiVersion: Field): void {
  if (!apiVersion.notEmpty()) return
  const parts = apiVersion.text === '/' ? ['', ''] : apiVersion.text.split('/')
  if (parts.length > 2) {
    apiVersion.invalid(`unexpected GroupVersion string: ${apiVersion.text}`)
    return
  }
  const [version = '', group = ''] = parts.toReversed()
  const groupTexts = group === '' ? [] : subdomainName(group)
  const versionTexts = version === '' ? [] : dns1035Label(version)
  if (groupTexts.length > 0) apiVersion.invalid(groupTexts.join(','), group)
  if (version === '') apiVersion.invalid('version must be specified')
  if (versionTexts.length > 0) apiVersion.invalid(versionTexts.join(','), version)
}

const EXCLUSIVE = 'name and selector are mutually exclusive'

/** Validates the `paramRef` of a binding. An absent one is valid. */
export function validateParamRef(paramRef: Field): void {
  if (!paramRef.ifObject) return
  const [name, selector] = [paramRef.child('name'), paramRef.child('selector')]
  const both = name.text !== '' && selector.ifObject
  name.ifFilled?.follows(pathSegmentName)
  if (both) name.forbidden(EXCLUSIVE)
  validateLabelSelector(selector)
  if (both) selector.forbidden(EXCLUSIVE)
  if (name.text === '' && !selector.ifObject) paramRef.required('one of name or selector must be specified')
  paramRef.child('parameterNotFoundAction').notEmpty()?.oneOf(['Deny', 'Allow'])
}
