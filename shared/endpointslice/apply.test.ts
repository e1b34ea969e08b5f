import { describe, expect, it } from 'vitest'
import { type ApplyResult, apply, type SliceClient } from './apply.ts'
import { InvalidOptionError } from './errors.ts'
import { nameOf } from './plan.fixtures.ts'
import type { EndpointSlice } from './types.ts'

const slice = (name: string): EndpointSlice => ({
  metadata: { name, namespace: 'shop' },
  addressType: 'IPv4',
  endpoints: [],
})
const slices = (...names: string[]) => names.map(slice)
const planOf = (create: string[], update: string[], remove: string[]) => ({
  create: slices(...create),
  update: slices(...update),
  delete: slices(...remove),
})

/** Remembers the calls; refuses those that `refusals` has an error for, such as `create a`. */
class FakeClient implements SliceClient {
  readonly calls: string[] = []
  readonly refusals: Readonly<Record<string, unknown>>
  underWay = 0
  mostUnderWay = 0

  constructor(refusals: Readonly<Record<string, unknown>> = {}) {
    this.refusals = refusals
  }

  create = (object: EndpointSlice) => this.#call('create', object)
  update = (object: EndpointSlice) => this.#call('update', object)
  delete = async (object: EndpointSlice) => void (await this.#call('delete', object))

  async #call(verb: string, object: EndpointSlice): Promise<EndpointSlice> {
    const call = `${verb} ${nameOf(object)}`
    this.calls.push(call)
    this.underWay++
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
    await new Promise((resolve) => setImmediate(resolve))
    this.underWay--
    if (call in this.refusals) throw this.refusals[call]
    return { ...object, metadata: { ...object.metadata, resourceVersion: '2' } }
  }
}

const names = ({ created, updated, deleted }: ApplyResult) =>
  [created, updated, deleted].map((list) => list.map(nameOf))
const refusal = (code: number, reason = '', more = {}) =>
  Object.assign(new Error(reason), { code, reason, ...more })

const causedBy = (code: number, reason: string) =>
  refusal(code, 'Refused', { status: { details: { causes: [{ reason }] } } })

describe('apply', () => {
  it('creates, then updates, then deletes', async () => {
    const client = new FakeClient()
    const result = await apply(client, planOf(['a', 'b'], ['c', 'd'], ['e']))
    expect(client.calls).toEqual(['create a', 'create b', 'update c', 'update d', 'delete e'])
    expect(names(result)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(result).not.toHaveProperty('conflict')
    expect(result.failures).toEqual([])
  })

  it('gives the slices as the API server answered them', async () => {
    const { created } = await apply(new FakeClient(), planOf(['a'], [], []))
    expect(created[0]?.metadata?.resourceVersion).toBe('2')
  })

  it.each([
    [undefined, 4],
    [1, 1],
    [20, 10],
  ])('with a concurrency of %s has at most %d requests under way', async (concurrency, most) => {
    const client = new FakeClient()
    await apply(client, planOf([...'abcdefghij'], [], []), concurrency === undefined ? {} : { concurrency })
    expect(client.mostUnderWay).toBe(most)
    expect(client.calls).toHaveLength(10)
  })

  it.each([0, 1.5, -1])('refuses a concurrency of %d', async (concurrency) => {
    await expect(apply(new FakeClient(), planOf([], [], []), { concurrency })).rejects.toThrow(
      InvalidOptionError,
    )
  })

  it.each(['create a', 'update c', 'delete e'])('stops at a conflict on %s and tells of it', async (call) => {
    const error = refusal(409, 'Conflict')
    const client = new FakeClient({ [call]: error })
    const result = await apply(client, planOf(['a', 'b'], ['c', 'd'], ['e', 'f']), { concurrency: 1 })
    expect(client.calls.at(-1)).toBe(call)
    const [operation, name] = call.split(' ')
    expect(result.conflict).toEqual({ operation, slice: `shop/${name}`, error })
    expect(result.failures).toEqual([])
  })

  it('takes an update of a slice that is gone for a conflict', async () => {
    const client = new FakeClient({ 'update c': refusal(404, 'NotFound') })
    const result = await apply(client, planOf([], ['c'], ['e']))
    expect(result.conflict).toMatchObject({ operation: 'update', slice: 'shop/c' })
    expect(client.calls).not.toContain('delete e')
  })

  it('takes a delete of a slice that is gone for done', async () => {
    const result = await apply(
      new FakeClient({ 'delete e': refusal(404, 'NotFound') }),
      planOf([], [], ['e', 'f']),
    )
    expect(names(result)[2]?.sort()).toEqual(['e', 'f'])
    expect(result.failures).toEqual([])
  })

  it('goes on after any other failure, and tells of each', async () => {
    const refusals = {
      'create a': refusal(500),
      'update c': new TypeError('broken'),
      'delete e': refusal(403),
    }
    const client = new FakeClient(refusals)
    const result = await apply(client, planOf(['a', 'b'], ['c', 'd'], ['e', 'f']))
    expect(names(result)).toEqual([['b'], ['d'], ['f']])
    expect(result.failures.map(({ operation, slice: name, error }) => [operation, name, error])).toEqual([
      ['create', 'shop/a', refusals['create a']],
      ['update', 'shop/c', refusals['update c']],
      ['delete', 'shop/e', refusals['delete e']],
    ])
  })

  it.each([
    ['terminating', causedBy(403, 'NamespaceTerminating')],
    ['gone', refusal(404, 'NotFound')],
  ])('ends quietly when the namespace is %s', async (_, error) => {
    const client = new FakeClient({ 'create a': error })
    const result = await apply(client, planOf(['a'], ['c'], ['e']))
    expect(client.calls).toEqual(['create a'])
    expect(result).toEqual({ created: [], updated: [], deleted: [], failures: [] })
  })

  it.each([
    ['create a', 'is forbidden', refusal(403, 'Forbidden')],
    ['create a', 'is forbidden for another cause', causedBy(403, 'FieldValueInvalid')],
    ['create a', 'is invalid in a namespace that terminates', causedBy(422, 'NamespaceTerminating')],
    ['update c', 'is forbidden in a namespace that terminates', causedBy(403, 'NamespaceTerminating')],
    ['delete e', 'is forbidden in a namespace that terminates', causedBy(403, 'NamespaceTerminating')],
  ])('takes a %s that %s for a failure, and goes on', async (call, _, error) => {
    const client = new FakeClient({ [call]: error })
    const result = await apply(client, planOf(['a'], ['c'], ['e']))
    expect(client.calls).toHaveLength(3)
    expect(result.failures).toMatchObject([{ error }])
  })

  it.each([[undefined], [null], ['text']])('collects even a thrown %j', async (error) => {
    const result = await apply(new FakeClient({ 'create a': error }), planOf(['a'], [], []))
    expect(result.failures).toEqual([{ operation: 'create', slice: 'shop/a', error }])
  })
})
