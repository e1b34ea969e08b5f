import { subdomainName } from '../../../../kubernetes/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, stringAt } from '../../../apimachinery/json/values.ts'
import { pathSegmentName } from '../../../apimachinery/validation/names.ts'
import { labelSelectorErrors } from '../matching/label-selector.ts'

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LONGEST_LABEL = 63

function labelErrors(text: string): string[] {
  return [
    ...(text.length > LONGEST_LABEL ? [`must be no more than ${LONGEST_LABEL} bytes`] : []),
    ...(LABEL.test(text) ? [] : [LABEL_TEXT]),
  ]
}

/** Validates the `paramKind` of a policy. An absent one is valid. */
export function paramKindErrors(paramKind: JsonValue | undefined, at: string): FieldError[] {
  if (!isObject(paramKind)) return []
  const kind = stringAt(paramKind, 'kind')
  const texts = labelErrors(kind.toLowerCase())
  return [
    ...apiVersionErrors(stringAt(paramKind, 'apiVersion'), `${at}.apiVersion`),
    ...(kind === '' ? [required(`${at}.kind`)] : []),
    ...(kind !== '' && texts.length > 0
      ? [
          invalidValue(
            `${at}.kind`,
            kind,
            `may have mixed case, but should otherwise match: ${texts.join(',')}`,
          ),
        ]
      : []),
  ]
}

function apiVersionErrors(apiVersion: string, at: string): FieldError[] {
  if (apiVersion === '') return [required(at)]
  const parts = apiVersion.split('/')
  if (parts.length > 2) return [invalidValue(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  const [group = '', version = ''] = apiVersion === '/' ? [] : parts.length === 1 ? ['', ...parts] : parts
  const groupTexts = group === '' ? [] : subdomainName(group)
  const versionTexts = labelErrors(version)
  return [
    ...(groupTexts.length > 0 ? [invalidValue(at, group, groupTexts.join(','))] : []),
    ...(version === '' ? [invalidValue(at, apiVersion, 'version must be specified')] : []),
    ...(version !== '' && versionTexts.length > 0 ? [invalidValue(at, version, versionTexts.join(','))] : []),
  ]
}

const EXCLUSIVE = 'name and selector are mutually exclusive'

/** Validates the `paramRef` of a binding. An absent one is valid. */
export function paramRefErrors(paramRef: JsonValue | undefined, at: string): FieldError[] {
  if (!isObject(paramRef)) return []
  const name = stringAt(paramRef, 'name')
  const hasSelector = isObject(paramRef.selector)
  const both = name !== '' && hasSelector
  return [
    ...(name === '' ? [] : pathSegmentName(name).map((text) => invalidValue(`${at}.name`, name, text))),
    ...(both ? [forbiddenField(`${at}.name`, EXCLUSIVE)] : []),
    ...labelSelectorErrors(paramRef.selector, `${at}.selector`),
    ...(both ? [forbiddenField(`${at}.selector`, EXCLUSIVE)] : []),
    ...(name === '' && !hasSelector ? [required(at, 'one of name or selector must be specified')] : []),
    ...actionErrors(stringAt(paramRef, 'parameterNotFoundAction'), `${at}.parameterNotFoundAction`),
  ]
}

function actionErrors(action: string, at: string): FieldError[] {
  if (action === '') return [required(at)]
  return ['Deny', 'Allow'].includes(action) ? [] : [notSupported(at, action, ['Deny', 'Allow'])]
}
