import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  TooLargeVersionError,
} from '../../shared/kubernetes/index.ts'

/** Makes the error of the client for an object that is not found. */
export const notFound = (plural: string, name: string): Error =>
  new NotFoundError(`${plural} "${name}" not found`, 404, {
    code: 404,
    reason: 'NotFound',
    details: { name },
  })

export const nameClash = (plural: string, name = ''): Error =>
  new ConflictError(`${plural} "${name}" already exists`, 409, { code: 409, reason: 'AlreadyExists' })

export const conflict = (plural: string, name: string): Error =>
  new ConflictError(`${plural} "${name}" has been modified`, 409, { code: 409, reason: 'Conflict' })

export const tooLargeVersion = (wanted: string, current: number): Error =>
  new TooLargeVersionError(`Too large resource version: ${wanted}, current: ${current}`, 504, {
    code: 504,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
  })

/** Makes the error of a call without an answer. Whether the request arrived is not known. */
export const lost = (): Error => new ConnectionError('the connection was cut', 'ECONNRESET')
