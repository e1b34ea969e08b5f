import { X509Certificate } from 'node:crypto'
import { labelName, quoted, subdomainName } from '../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../apimachinery/errors/field.ts'
import { messageOf } from '../../apimachinery/errors/message.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectAt, objectsAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { readSigningRequest } from './pkcs10.ts'

const SUBDOMAIN_LIMIT = 253

/** Validates a name such as `example.com/signer-name`, as upstream's ValidateSignerName does. */
function signerNameErrors(at: string, name: string): FieldError[] {
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
  ]
}

function firstWrong(labels: readonly string[], rule: (value: string) => string[]): string[] {
  const wrong = labels.find((label) => rule(label).length > 0)
  return wrong === undefined ? [] : rule(wrong).map((text) => `validating label ${quoted(wrong)}: ${text}`)
}

const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown'
const SHORTEST_SECONDS = 600
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
const STATUSES = ['False', 'True', 'Unknown']
const DECISIONS = ['Approved', 'Denied']
/** Conditions that are only ever true. */
const VERDICTS = [...DECISIONS, 'Failed']

/** Fields that an update may set and other updates may not. */
interface UpdateRights {
  readonly decisions?: boolean
  readonly certificate?: boolean
}

export const conditionsOf = (request: KubeObject): JsonObject[] =>
  objectsAt(objectAt(request, 'status'), 'conditions')

const certificateOf = (request: KubeObject): string => stringAt(objectAt(request, 'status'), 'certificate')

/** Validates a new request as upstream's ValidateCertificateSigningRequestCreate does. */
export function requestErrors(request: KubeObject): FieldError[] {
  return [...specErrors(objectAt(request, 'spec')), ...statusErrors(request, undefined)]
}

/**
 * Validates an update as upstream's validateCertificateSigningRequestUpdate does. Errors from before may
 * stay; the spec is the same as before.
 */
export function requestUpdateErrors(
  request: KubeObject,
  old: KubeObject,
  { decisions = false, certificate = false }: UpdateRights = {},
): FieldError[] {
  return [
    ...statusErrors(request, old),
    ...VERDICTS.flatMap((type) =>
      count(request, type) < count(old, type)
        ? [conditionError(`updates may not remove a condition of type "${type}"`)]
        : [],
    ),
    ...(decisions ? [] : DECISIONS).flatMap((type) =>
      count(request, type) > count(old, type)
        ? [conditionError(`updates may not add a condition of type "${type}"`)]
        : [],
    ),
    ...newCertificateErrors(certificateOf(request), certificateOf(old), certificate),
  ]
}

const conditionError = (text: string): FieldError => forbiddenField('status.conditions', text)

const count = (request: KubeObject, wanted: string): number =>
  conditionsOf(request).filter(({ type }) => type === wanted).length

function newCertificateErrors(certificate: string, old: string, allowed: boolean): FieldError[] {
  if (certificate === old) return []
  const at = 'status.certificate'
  if (!allowed) return [forbiddenField(at, 'updates may not set certificate content')]
  return old === '' ? [] : [forbiddenField(at, 'updates may not modify existing certificate content')]
}

function specErrors(spec: JsonObject): FieldError[] {
  const usages = stringsAt(spec, 'usages')
  const signer = stringAt(spec, 'signerName')
  const seconds = numberAt(spec, 'expirationSeconds')
  return [
    ...pkcs10Errors(stringAt(spec, 'request')),
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, index) =>
      USAGES.includes(usage) ? [] : [notSupported(`spec.usages[${index}]`, usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) < index ? [duplicate(`spec.usages[${index}]`, usage)] : [],
    ),
    ...(signer === LEGACY_SIGNER
      ? [invalidValue('spec.signerName', signer, 'the legacy signerName is not allowed via this API version')]
      : signerNameErrors('spec.signerName', signer)),
    ...(seconds !== undefined && seconds < SHORTEST_SECONDS
      ? [
          invalidValue(
            'spec.expirationSeconds',
            seconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
  ]
}

function pkcs10Errors(request: string): FieldError[] {
  try {
    readSigningRequest(request)
    return []
  } catch (error) {
    return [invalidValue('spec.request', request, messageOf(error))]
  }
}

function statusErrors(request: KubeObject, old: KubeObject | undefined): FieldError[] {
  const conditions = conditionsOf(request)
  const types = conditions.map((condition) => stringAt(condition, 'type'))
  const oldTypes = old ? conditionsOf(old).map((condition) => stringAt(condition, 'type')) : []
  const hadBoth = DECISIONS.every((type) => oldTypes.includes(type))
  const hadTwice = new Set(oldTypes).size < oldTypes.length
  return [
    ...conditions.flatMap((condition, index) => {
      const at = `status.conditions[${index}]`
      const [type = ''] = types.slice(index)
      const before = types.slice(0, index)
      return [
        ...(type === '' && !oldTypes.includes('') ? [required(`${at}.type`)] : []),
        ...valueErrors(type, stringAt(condition, 'status'), `${at}.status`),
        ...(hadBoth ? [] : exclusionErrors(type, before)),
        ...(before.includes(type) && !hadTwice ? [duplicate(`${at}.type`, type)] : []),
      ]
    }),
    ...certificateErrors(certificateOf(request), old && certificateOf(old)),
  ]
}

function valueErrors(type: string, value: string, at: string): FieldError[] {
  const allowed = VERDICTS.includes(type) ? ['True'] : STATUSES
  if (value === '') return [required(at)]
  return allowed.includes(value) ? [] : [notSupported(at, value, allowed)]
}

function exclusionErrors(type: string, before: readonly string[]): FieldError[] {
  const excluded =
    DECISIONS.includes(type) && before.some((other) => other !== type && DECISIONS.includes(other))
  return excluded
    ? [invalidValue('status.conditions', type, 'Approved and Denied conditions are mutually exclusive')]
    : []
}

/** Validates the certificate. One that stays, or that replaces one that was no better, is not checked. */
function certificateErrors(certificate: string, old: string | undefined): FieldError[] {
  if (certificate === old || (old !== undefined && certificateProblem(old) !== undefined)) return []
  const problem = certificateProblem(certificate)
  return problem === undefined ? [] : [invalidValue('status.certificate', '<certificate data>', problem)]
}

function certificateProblem(base64: string): string | undefined {
  if (base64 === '') return undefined
  const text = Buffer.from(base64, 'base64').toString('latin1')
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*)-----END \1-----/g)]
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block'
  for (const [block, type = '', body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quoted(type)}`
    if (body.includes(':')) return 'no PEM block headers are permitted'
    try {
      new X509Certificate(block)
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return undefined
}
