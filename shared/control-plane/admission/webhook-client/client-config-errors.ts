import { X509Certificate } from 'node:crypto'
import { subdomainName } from '../../../kubernetes/index.ts'
import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, stringAt } from '../../apimachinery/json/values.ts'

const FORM = '; desired format: https://host[/path]'

/**
 * Validates `url` and `service` of a webhook's clientConfig (apiserver/pkg/util/webhook/validation.go): it
 * must have one of them, in the right form.
 */
export function clientConfigErrors(config: JsonObject, at: string): FieldError[] {
  const { url, service } = config
  const [hasUrl, hasService] = [typeof url === 'string', isObject(service)]
  if (hasUrl === hasService) return [required(at, 'exactly one of url or service is required')]
  return hasService
    ? serviceErrors(service as JsonObject, `${at}.service`)
    : urlErrors(String(url), `${at}.url`)
}

function urlErrors(text: string, at: string): FieldError[] {
  const url = URL.parse(text)
  if (url === null) return [required(at, `url must be a valid URL${FORM}`)]
  const { protocol, username, password, hash, search } = url
  const scheme = protocol.slice(0, -1)
  return [
    ...(scheme === 'https'
      ? []
      : [invalidValue(at, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(username || password
      ? [invalidValue(at, `${username}:${password}`, 'user information is not permitted in the URL')]
      : []),
    ...(hash === '' ? [] : [invalidValue(at, hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(search === ''
      ? []
      : [invalidValue(at, search.slice(1), 'query parameters are not permitted in the URL')]),
  ]
}

function serviceErrors(service: JsonObject, at: string): FieldError[] {
  const port = numberAt(service, 'port') ?? 443
  return [
    ...(stringAt(service, 'name') === '' ? [required(`${at}.name`)] : []),
    ...(stringAt(service, 'namespace') === '' ? [required(`${at}.namespace`)] : []),
    ...(port >= 1 && port <= 65535
      ? []
      : [invalidValue(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...pathErrors(stringAt(service, 'path'), `${at}.path`),
  ]
}

function pathErrors(path: string, at: string): FieldError[] {
  if (path === '' || path === '/') return []
  if (path === '//') return [invalidValue(at, path, 'segment[0] may not be empty')]
  const rooted = path.startsWith('/') ? [] : [invalidValue(at, path, "must start with a '/'")]
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  return [
    ...rooted,
    ...steps.flatMap((step, index) =>
      (step === '' ? [' may not be empty'] : subdomainName(step).map((text) => `: ${text}`)).map((text) =>
        invalidValue(at, path, `segment[${index}]${text}`),
      ),
    ),
  ]
}

/**
 * Validates a `caBundle`, which must hold a certificate.
 * @param value its base64
 */
export function caBundleErrors(value: JsonValue | undefined, at: string): FieldError[] {
  if (typeof value !== 'string' || value === '') return []
  const why = bundleProblem(Buffer.from(value, 'base64').toString('latin1'))
  return why === undefined ? [] : [invalidValue(at, value, `unable to load root certificates: ${why}`)]
}

const BLOCK = /-----BEGIN ([^\n-]+)-----\r?\n([^-]*)-----END \1-----/g

/** Says what is wrong with a bundle: like Go, nothing if a certificate is good, else the first bad block. */
function bundleProblem(pem: string): string | undefined {
  const blocks = [...pem.matchAll(BLOCK)]
  const problems = blocks
    .filter(([, type]) => type === 'CERTIFICATE')
    .map(([block]) =>
      isCertificate(block) ? undefined : 'failed to parse certificate: x509: malformed certificate',
    )
  if (problems.includes(undefined)) return undefined
  if (blocks.length === 0) return 'unable to parse bytes as PEM block'
  return problems[0] ?? 'no valid certificate authority data seen'
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}
