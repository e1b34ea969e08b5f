import { quoted } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required, tooLong } from '../../apimachinery/errors/index.ts'
import { labelName, subdomainName } from '../../apimachinery/validation/index.ts'

const SUBDOMAIN_LIMIT = 253
/** A subdomain, a dot and a label, of the longest. */
const PATH_LIMIT = SUBDOMAIN_LIMIT + 63 + 1

/** Validates a name such as `example.com/signer-name`, as upstream's ValidateSignerName does. */
export function signerNameErrors(at: string, name: string): FieldError[] {
  if (name === '') return [required(at)]
  const [domain = '', path, ...more] = name.split('/')
  if (path === undefined || more.length > 0) {
    return [
      invalidValue(
        at,
        name,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
      ),
    ]
  }
  const labels = domain.split('.')
  return [
    ...(domain.length > SUBDOMAIN_LIMIT ? [tooLong(at, SUBDOMAIN_LIMIT)] : []),
    ...firstWrong(labels, labelName).map((text) => invalidValue(at, domain, text)),
    ...(labels.length < 2
      ? [invalidValue(at, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...firstWrong(path.split('.'), subdomainName).map((text) => invalidValue(at, path, text)),
    ...(name.length > SUBDOMAIN_LIMIT + PATH_LIMIT + 1
      ? [tooLong(at, SUBDOMAIN_LIMIT + PATH_LIMIT + 1)]
      : []),
  ]
}

function firstWrong(labels: readonly string[], rule: (value: string) => string[]): string[] {
  const wrong = labels.find((label) => rule(label).length > 0)
  return wrong === undefined ? [] : rule(wrong).map((text) => `validating label ${quoted(wrong)}: ${text}`)
}
