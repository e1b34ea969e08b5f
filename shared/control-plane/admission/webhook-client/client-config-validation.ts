import { X509Certificate } from 'node:crypto'
import { subdomainName } from '../../../kubernetes/index.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'

const FORM = '; desired format: https://host[/path]'

/**
 * Validates `url` and `service` of a webhook's clientConfig (apiserver/pkg/util/webhook/validation.go): it
 * must have one of them, in the right form.
 */
export function validateClientConfig(config: Field): void {
  const [url, service] = [config.child('url'), config.child('service')]
  if (typeof url.value === 'string' && !service.ifObject) validateUrl(url)
  else if (!url.ifSet && service.ifObject) validateService(service)
  else config.required('exactly one of url or service is required')
}

function validateUrl(field: Field): void {
  const url = URL.parse(field.text)
  if (url === null) {
    field.required(`url must be a valid URL${FORM}`)
    return
  }
  const { protocol, username, password, hash, search } = url
  if (protocol !== 'https:')
    field.invalid(`'https' is the only allowed URL scheme${FORM}`, protocol.slice(0, -1))
  if (username || password)
    field.invalid('user information is not permitted in the URL', `${username}:${password}`)
  if (hash !== '') field.invalid('fragments are not permitted in the URL', hash.slice(1))
  if (search !== '') field.invalid('query parameters are not permitted in the URL', search.slice(1))
}

function validateService(service: Field): void {
  service.child('name').notEmpty()
  service.child('namespace').notEmpty()
  service.child('port').ifSet?.between(1, 65_535, 'port is not valid: must be between 1 and 65535, inclusive')
  validatePath(service.child('path'))
}

function validatePath(path: Field): void {
  const { text } = path
  if (text === '' || text === '/') return
  if (text === '//') {
    path.invalid('segment[0] may not be empty')
    return
  }
  if (!text.startsWith('/')) path.invalid("must start with a '/'")
  for (const [index, step] of text.slice(1).replace(/\/$/, '').split('/').entries()) {
    const texts = step === '' ? [' may not be empty'] : subdomainName(step).map((why) => `: ${why}`)
    for (const why of texts) path.invalid(`segment[${index}]${why}`)
  }
}

/** Validates the versions of reviews that a webhook accepts. */
export function validateReviewVersions(versions: Field): void {
  const seen = new Set<string>()
  for (const version of versions.items()) {
    if (seen.has(version.text)) version.invalid('duplicate version')
    else version.follows(dns1035Label)
    seen.add(version.text)
  }
}

/** Validates a `caBundle`, in base64: it must hold a certificate. */
export function validateCaBundle(bundle: Field): void {
  const why = caBundleProblem(bundle.text)
  if (why !== undefined) bundle.invalid(`unable to load root certificates: ${why}`)
}

const BLOCK = /-----BEGIN ([^\n-]+)-----\r?\n([^-]*)-----END \1-----/g

/**
 * Says what is wrong with a bundle: like Go, nothing if a certificate is good, else the first bad block.
 * @param base64 `''` is no bundle
 */
export function caBundleProblem(base64: string): string | undefined {
  if (base64 === '') return undefined
  const blocks = [...Buffer.from(base64, 'base64').toString('latin1').matchAll(BLOCK)]
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
