import { quoted } from '../../../kubernetes/index.ts'
import { aggregate, causes, type FieldError } from './field.ts'
import { ApiError, type StatusDetails } from './status.ts'

/** Group and plural name of a resource. */
export interface GroupResource {
  readonly group: string
  readonly plural: string
}
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

function qualified(name: string, group: string): string {
  return group ? `${name}.${group}` : name
}

function resourceDetails(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name ? { name } : {}),
    ...(resource.group ? { group: resource.group } : {}),
    kind: resource.plural,
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized')
}

/** Makes a 403 on a resource; without a name it is about the collection. */
export function forbidden(resource: GroupResource, name: string, why: string): ApiError {
  const subject = qualified(resource.plural, resource.group)
  const message = name ? `${subject} ${quoted(name)} is forbidden: ${why}` : `${subject} is forbidden: ${why}`
  return new ApiError(403, 'Forbidden', message, resourceDetails(resource, name))
}

export function forbiddenPath(why: string): ApiError {
  return new ApiError(403, 'Forbidden', `forbidden: ${why}`, {})
}

export function notFound(resource: GroupResource, name: string): ApiError {
  const message = `${qualified(resource.plural, resource.group)} ${quoted(name)} not found`
  return new ApiError(404, 'NotFound', message, resourceDetails(resource, name))
}

/** Makes a 404 for a path that no resource serves. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}

/** Makes a 405 in the words of the apiserver library, which serves custom resources. */
export function methodNotSupported({ group, plural }: GroupResource, verb: string): ApiError {
  const resource = group ? `${plural}.${group}` : plural
  return new ApiError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${quoted(resource)}`,
    { ...(group ? { group } : {}), kind: plural },
  )
}

export function methodNotAllowed(): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted.join(', ')}`,
  )
}

export function alreadyExists(resource: GroupResource, name: string, terminating = false): ApiError {
  const prefix = terminating ? 'object is being deleted: ' : ''
  const message = `${prefix}${qualified(resource.plural, resource.group)} ${quoted(name)} already exists`
  return new ApiError(409, 'AlreadyExists', message, resourceDetails(resource, name))
}

export function conflict(resource: GroupResource, name: string, why: string): ApiError {
  const subject = qualified(resource.plural, resource.group)
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${subject} ${quoted(name)}: ${why}`,
    resourceDetails(resource, name),
  )
}

export function modified(resource: GroupResource, name: string): ApiError {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  )
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message)
}

export function entityTooLarge(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
}

/** Makes a 429: the client is to try again after a second. */
export function tooManyRequests(): ApiError {
  const message = 'Too many requests, please try again later.'
  return new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds: 1 })
}

/** Makes a 504: the request took longer than one may. */
export function requestTimeout(): ApiError {
  return new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {})
}

/** Makes a 422 with every field error as a cause. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const message = `${qualified(kind.kind, kind.group)} ${quoted(name)} is invalid: ${aggregate(errors)}`
  return new ApiError(422, 'Invalid', message, {
    ...(name ? { name } : {}),
    ...(kind.group ? { group: kind.group } : {}),
    ...(kind.kind ? { kind: kind.kind } : {}),
    causes: causes(errors),
  })
}

export function unprocessable(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
}

/** Makes a 500 without a reason, for an error of the server's own that no Status reason names. */
export function internal(message: string): ApiError {
  return new ApiError(500, undefined, message)
}

/** Makes a 500 with the reason as its cause, as apimachinery's NewInternalError does. */
export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

/** Makes a 504: the client asks for a state that this server has not reached yet. */
export function tooLargeResourceVersion(wanted: string, current: number, prefix = 'Timeout: '): ApiError {
  return new ApiError(504, 'Timeout', `${prefix}Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}
