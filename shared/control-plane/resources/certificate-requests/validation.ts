import { X509Certificate } from 'node:crypto'
import { labelName, quoted, subdomainName } from '../../../kubernetes/index.ts'
import { messageOf } from '../../apimachinery/errors/message.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { readSigningRequest } from './pkcs10.ts'

const SUBDOMAIN_LIMIT = 253

/** Validates a name such as `example.com/signer-name`, as upstream's ValidateSignerName does. */
function validateSignerName(name: Field): void {
  if (!name.notEmpty()) return
  const [domain = '', path, ...more] = name.text.split('/')
  if (path === undefined || more.length > 0) {
    name.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'")
    return
  }
  const labels = domain.split('.')
  name.with(domain).atMostBytes(SUBDOMAIN_LIMIT)
  validateFirstWrong(name.with(domain), labelName)
  if (labels.length < 2)
    name.invalid('should be a domain with at least two segments separated by dots', domain)
  validateFirstWrong(name.with(path), subdomainName)
}

/** Reports the first label that does not follow a rule. */
function validateFirstWrong(name: Field, rule: (value: string) => string[]): void {
  const wrong = name.text.split('.').find((label) => rule(label).length > 0)
  if (wrong === undefined) return
  for (const why of rule(wrong)) name.invalid(`validating label ${quoted(wrong)}: ${why}`)
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
export function validateRequest(request: Field): void {
  validateSpec(request.child('spec'))
  validateStatus(request.child('status'))
}

/**
 * Validates an update as upstream's validateCertificateSigningRequestUpdate does. Errors from before may
 * stay; the spec is the same as before.
 */
export function validateRequestUpdate(
  request: Field,
  old: KubeObject,
  { decisions = false, certificate = false }: UpdateRights = {},
): void {
  const status = request.child('status')
  validateStatus(status, old)
  const conditions = status.child('conditions')
  const counted = (type: string): [now: number, before: number] => [
    conditions.items().filter((condition) => condition.object.type === type).length,
    conditionsOf(old).filter((condition) => condition.type === type).length,
  ]
  for (const type of VERDICTS) {
    const [now, before] = counted(type)
    if (now < before) conditions.forbidden(`updates may not remove a condition of type "${type}"`)
  }
  for (const type of decisions ? [] : DECISIONS) {
    const [now, before] = counted(type)
    if (now > before) conditions.forbidden(`updates may not add a condition of type "${type}"`)
  }
  const issued = status.child('certificate')
  if (issued.text === certificateOf(old)) return
  if (!certificate) issued.forbidden('updates may not set certificate content')
  else if (certificateOf(old) !== '') issued.forbidden('updates may not modify existing certificate content')
}

function validateSpec(spec: Field): void {
  const [request, usages] = [spec.child('request'), spec.child('usages')]
  const problem = requestProblem(request.text)
  if (problem !== undefined) request.invalid(problem, request.text)
  usages.notEmpty()
  for (const usage of usages.items()) usage.oneOf(USAGES)
  const seen = new Set<string>()
  for (const usage of usages.items()) usage.unique(seen)
  const signer = spec.child('signerName')
  if (signer.text === LEGACY_SIGNER)
    signer.invalid('the legacy signerName is not allowed via this API version')
  else validateSignerName(signer)
  spec
    .child('expirationSeconds')
    .ifSet?.atLeast(SHORTEST_SECONDS, 'may not specify a duration less than 600 seconds (10 minutes)')
}

function requestProblem(request: string): string | undefined {
  try {
    readSigningRequest(request)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

function validateStatus(status: Field, old?: KubeObject): void {
  const conditions = status.child('conditions')
  const oldTypes = old ? conditionsOf(old).map((condition) => stringAt(condition, 'type')) : []
  const hadBoth = DECISIONS.every((type) => oldTypes.includes(type))
  const hadTwice = new Set(oldTypes).size < oldTypes.length
  const before = new Set<string>()
  for (const condition of conditions.items()) {
    const [type, value] = [condition.child('type'), condition.child('status')]
    if (!oldTypes.includes('')) type.notEmpty()
    value.notEmpty()?.oneOf(VERDICTS.includes(type.text) ? ['True'] : STATUSES)
    const isExcluded = DECISIONS.some((other) => other !== type.text && before.has(other))
    if (!hadBoth && DECISIONS.includes(type.text) && isExcluded)
      conditions.invalid('Approved and Denied conditions are mutually exclusive', type.text)
    if (before.has(type.text) && !hadTwice) type.duplicate(type.text)
    before.add(type.text)
  }
  validateCertificate(status.child('certificate'), old && certificateOf(old))
}

/** Validates the certificate. One that stays, or that replaces one that was no better, is not checked. */
function validateCertificate(certificate: Field, old: string | undefined): void {
  if (certificate.text === old || (old !== undefined && certificateProblem(old) !== undefined)) return
  const problem = certificateProblem(certificate.text)
  if (problem !== undefined) certificate.invalid(problem, '<certificate data>')
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
