import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EndpointSlice, SliceClient } from '../../endpointslice/index.ts'
import { ApiError, ConflictError, ForbiddenError } from '../../kubernetes/index.ts'
import { KEY } from '../memory-cluster.fixtures.ts'
import { type Changes, NOTHING_WRITTEN } from '../slice-changes.ts'
import { SliceWriteError, writeSlices } from './write-slices.ts'

const slice = (name: string): EndpointSlice => ({
  metadata: { namespace: 'shop', name },
  addressType: 'IPv4',
  endpoints: [],
})
const changes: Changes = { create: [slice('a')], update: [slice('b'), slice('c')], delete: [slice('d')] }
const invalid = new ApiError('b is invalid', 422, { reason: 'Invalid' })
const busy = new ApiError('busy', 503, {})

const newLogger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })
let logger: ReturnType<typeof newLogger>
let tried: string[]
beforeEach(() => {
  logger = newLogger()
  tried = []
})

/** @param errors of the slices of these names */
function write(errors: Readonly<Record<string, Error>> = {}, some: Changes = changes) {
  async function answer(one: EndpointSlice): Promise<EndpointSlice> {
    const name = one.metadata?.name ?? ''
    tried.push(name)
    if (errors[name] !== undefined) throw errors[name]
    return one
  }
  const slices: SliceClient = {
    create: answer,
    update: answer,
    delete: async (one) => void (await answer(one)),
  }
  return writeSlices(some, { slices, key: KEY, logger })
}
const fields = { cluster: 'blue', namespace: 'shop', service: 'web' }

describe('slices that are written', () => {
  it('are reported in one line of the log', async () => {
    const { created, updated, deleted } = await write()
    expect([created.length, updated.length, deleted.length]).toEqual([1, 2, 1])
    expect(logger.info.mock.calls).toEqual([
      [{ ...fields, created: 1, updated: 2, deleted: 1 }, 'wrote slices'],
    ])
  })

  it('are none, and no line is, where there is nothing to write', async () => {
    expect(await write({}, { create: [], update: [], delete: [] })).toEqual(NOTHING_WRITTEN)
    expect([tried, logger.info.mock.calls]).toEqual([[], []])
  })

  it('are no error where somebody else was faster: the result tells of the conflict', async () => {
    const { conflict, created } = await write({ b: new ConflictError('changed', 409, {}) })
    expect([conflict?.slice, created.length]).toEqual(['shop/b', 1])
    expect(logger.info.mock.calls).toMatchObject([[{ created: 1, conflict: 'shop/b' }, expect.any(String)]])
  })

  it('are a conflict and no error where both came about, as what is read again may do', async () => {
    expect(await write({ b: invalid, d: new ConflictError('changed', 409, {}) })).toMatchObject({
      conflict: { slice: 'shop/d' },
      failures: [{ slice: 'shop/b' }],
    })
  })

  it('are each tried, be some refused, and the error tells of all', async () => {
    const failed = write({ a: invalid, c: busy })
    await expect(failed).rejects.toMatchObject({
      message: 'failed to write 2 slices of Service shop/web of cluster blue: b is invalid',
      errors: [invalid, busy],
    })
    expect(tried).toEqual(['a', 'b', 'c', 'd'])
    expect(logger.info.mock.calls).toMatchObject([[{ created: 0, updated: 1, deleted: 1 }, 'wrote slices']])
  })

  it('are not reported where all were refused', async () => {
    await expect(write({ a: invalid }, { ...changes, update: [], delete: [] })).rejects.toThrow(
      SliceWriteError,
    )
    expect(logger.info).not.toHaveBeenCalled()
  })

  it.each([
    ['none of the errors can pass', { a: invalid, b: invalid }, false],
    ['one of the errors can pass', { a: invalid, b: busy }, true],
    ['an error does not say', { a: new Error('odd') }, true],
  ])('are worth another attempt unless %s', async (_, errors, retryable) => {
    await expect(write(errors)).rejects.toMatchObject({ retryable })
  })

  it('say which permission is missing where an API server does not', async () => {
    const text =
      'cannot set blockOwnerDeletion if an ownerReference refers to a resource you can’t set finalizers on'
    await expect(write({ a: new ForbiddenError(text, 403, {}) })).rejects.toThrow(
      'allow the verb "update" on the resource "services/finalizers"',
    )
    await expect(write({ a: new ForbiddenError('no', 403, {}) })).rejects.not.toThrow('services/finalizers')
  })
})
