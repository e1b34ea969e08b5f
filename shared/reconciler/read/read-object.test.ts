import { describe, expect, it } from 'vitest'
import { type ApiClient, NotFoundError, SERVICES, type Status } from '../../kubernetes/index.ts'
import { readObject } from './read-object.ts'

const REF = { namespace: 'shop', name: 'web' }
const clientOf = (get: ApiClient['get']): ApiClient => ({ get }) as Partial<ApiClient> as ApiClient
const refusing = (error: Error): ApiClient => clientOf(async () => Promise.reject(error))
const notFound = (status: Status): NotFoundError => new NotFoundError('not found', 404, status)

describe('an object that is read', () => {
  it('is absent where the API server says so of this very one', async () => {
    const error = notFound({ reason: 'NotFound', details: { name: 'web' } })
    expect(await readObject(refusing(error), SERVICES, REF)).toBeUndefined()
  })

  it.each([
    ['a proxy answers in its place', notFound({})],
    ['something else is not there', notFound({ reason: 'NotFound', details: { name: 'shop' } })],
    ['nobody says what is not there', notFound({ reason: 'NotFound' })],
    ['it is refused for another reason', notFound({ reason: 'Gone', details: { name: 'web' } })],
    ['the connection is cut', new Error('cut')],
  ])('is not taken for absent where %s', async (_, error) => {
    await expect(readObject(refusing(error), SERVICES, REF)).rejects.toBe(error)
  })

  it('is asked for as the caller says', async () => {
    const asked: unknown[] = []
    const client = clientOf(async (...call) => {
      asked.push(call)
      return { metadata: { name: 'web' } } as never
    })
    const options = { metadataOnly: true, notOlderThan: '5' }
    expect(await readObject(client, SERVICES, REF, options)).toEqual({ metadata: { name: 'web' } })
    expect(asked).toEqual([[SERVICES, REF, options]])
  })
})
