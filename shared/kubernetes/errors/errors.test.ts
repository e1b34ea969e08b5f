import { describe, expect, it } from 'vitest'
import { apiError, ConnectionError, connectionError, KubeconfigError } from './errors.ts'

const SERVER = new URL('https://10.0.0.1:6443')

describe('what may succeed later without a change', () => {
  it.each([
    [400, false],
    [401, true],
    [403, false],
    [404, false],
    [409, true],
    [410, true],
    [422, false],
    [429, true],
    [499, false],
    [500, true],
    [503, true],
  ])('is known of status %i: %j', (code, retryable) => {
    expect(apiError('get Service shop/cart', code, {})).toMatchObject({ code, retryable })
  })

  it('is a connection that failed, and not a kubeconfig that is wrong', () => {
    expect(new ConnectionError('no answer', 'ETIMEDOUT').retryable).toBe(true)
    expect(new KubeconfigError('not there').retryable).toBe(false)
  })
})

describe('the error of a refused request', () => {
  it('is of a version that is too large only where one of its causes says so', () => {
    const withCauses = (...reasons: string[]) =>
      apiError('list Pods', 504, { details: { causes: reasons.map((reason) => ({ reason })) } })
    expect(withCauses('Other', 'ResourceVersionTooLarge').name).toBe('TooLargeVersionError')
    expect(withCauses('Other').name).toBe('ApiError')
    expect(apiError('list Pods', 504, {}).name).toBe('ApiError')
  })
})

describe('the error of a connection', () => {
  it.each([
    [Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'ECONNRESET', 'the connection was cut'],
    [Object.assign(new Error('odd'), { code: 'EODD' }), 'EODD', 'odd'],
    [Object.assign(new Error('odd'), { code: '' }), 'ECONNECTION', 'odd'],
    [Object.assign(new Error('odd'), { code: 7 }), 'ECONNECTION', 'odd'],
    [new Error('odd'), 'ECONNECTION', 'odd'],
    ['a text', 'ECONNECTION', 'a text'],
    [null, 'ECONNECTION', 'null'],
  ])('tells the code and the place, whatever was thrown: %s', (cause, code, text) => {
    const error = connectionError('list Pods', { server: SERVER }, cause)
    expect(error).toMatchObject({ code, cause })
    expect(error.message).toBe(`failed to list Pods: ${code} at 10.0.0.1:6443: ${text}`)
  })
})
