import { describe, expect, it } from 'vitest'
import {
  ApiError,
  CircuitOpenError,
  ConflictError,
  ConnectionError,
  ExpiredError,
  ForbiddenError,
  NotFoundError,
  ThrottledError,
  UnauthorizedError,
} from '../../../kubernetes/index.ts'
import { MalformedMessageError } from '../../index.ts'
import { classify } from './classify-error.ts'
import { FAILURE_CLASSES } from './failure-class.ts'

const api = (code: number, reason = '', retryAfterSeconds?: number): ApiError =>
  new ApiError(`refused with ${code}`, code, { reason }, retryAfterSeconds)

describe('classify', () => {
  it.each([
    [new ForbiddenError('no', 403, {}), 'Forbidden', 'retry-few'],
    [new UnauthorizedError('who', 401, {}), 'Unauthorized', 'retry-few'],
    [api(422, 'Invalid'), 'Invalid', 'retry-few'],
    [api(400, 'BadRequest'), 'Invalid', 'retry-few'],
    [api(413, 'RequestEntityTooLarge'), 'Invalid', 'retry-few'],
    [new NotFoundError('no such kind', 404, { reason: 'NotFound' }), 'NotServed', 'retry-few'],
    [new NotFoundError('404 page not found', 404, {}), 'Unreachable', 'retry'],
    [new ConnectionError('refused', 'ECONNREFUSED'), 'Unreachable', 'retry'],
    [new ConnectionError('slow', 'ETIMEDOUT'), 'Timeout', 'retry'],
    [api(504, 'Timeout'), 'Timeout', 'retry'],
    [new ExpiredError('gone', 410, { reason: 'Expired' }), 'Timeout', 'retry'],
    [api(429, 'TooManyRequests'), 'Throttled', 'retry'],
    [new ThrottledError('too many', 3), 'Throttled', 'retry'],
    [api(500, 'InternalError'), 'ServerError', 'retry'],
    [api(503), 'ServerError', 'retry'],
    [new ConflictError('changed', 409, { reason: 'Conflict' }), 'Conflict', 'retry'],
    [new MalformedMessageError('v must be 1'), 'MalformedMessage', 'never'],
    [new TypeError('undefined is not a function'), 'Unexpected', 'retry'],
    [Object.assign(new Error('held'), { retryable: false }), 'Unexpected', 'retry-few'],
    [Object.assign(new Error('own'), { failureClass: 'UnknownCluster' }), 'UnknownCluster', 'retry-few'],
    [Object.assign(new Error('own'), { failureClass: 'Unheard' }), 'Unexpected', 'retry'],
    ['text', 'Unexpected', 'retry'],
    [undefined, 'Unexpected', 'retry'],
    [null, 'Unexpected', 'retry'],
  ])('takes %o for %s: %s', (error, failureClass, disposition) => {
    expect(classify(error)).toMatchObject({ class: failureClass, disposition, isOutage: false })
    expect(FAILURE_CLASSES).toContain(failureClass)
  })

  it('takes a circuit that is open for an outage, which is no single key’s fault', () => {
    const error = new CircuitOpenError('not tried', 12, new Error('ECONNREFUSED'))
    expect(classify(error)).toEqual({
      class: 'Unreachable',
      disposition: 'retry',
      isOutage: true,
      retryAfterSeconds: 12,
      reason: 'not tried',
    })
  })

  it.each([
    [29.5, 29.5],
    [-5, 0],
    [Number.NaN, undefined],
    ['60', undefined],
  ])('reads retryAfterSeconds %j as %j', (retryAfterSeconds, expected) => {
    expect(classify({ retryAfterSeconds }).retryAfterSeconds).toBe(expected)
  })

  describe('given several errors in one', () => {
    it('takes the one that is most worth another attempt, and the longest wait', () => {
      const errors = [api(403), api(429, '', 7), api(503, '', 20)]
      expect(classify(new AggregateError(errors, 'failed to write 3 slices'))).toEqual({
        class: 'Throttled',
        disposition: 'retry',
        isOutage: false,
        retryAfterSeconds: 20,
        reason: 'failed to write 3 slices',
      })
    })

    it('sees an outage behind any of them', () => {
      const errors = [api(500), new CircuitOpenError('not tried', 1, undefined)]
      expect(classify(new AggregateError(errors, 'both')).isOutage).toBe(true)
    })

    it('needs none', () => {
      expect(classify(new AggregateError([], 'none'))).toMatchObject({ class: 'Unexpected', reason: 'none' })
    })
  })

  it.each([
    'the token eyJhbGciOi.eyJpc3MiOi.c2ln-x_y was refused',
    'authorization: Bearer abc.def/123=',
    'token k8s-aws-v1.aHR0cHM6Ly9zdHM',
    'https://user:hunter2@example.com/ is down',
  ])('keeps no secret in the reason: %s', (message) => {
    const { reason } = classify(new Error(message))
    expect(reason).toContain('[redacted]')
    expect(reason).not.toMatch(/c2ln|abc\.def|aHR0|hunter2/)
  })
})
