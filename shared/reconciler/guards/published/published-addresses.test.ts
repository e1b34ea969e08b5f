import { describe, expect, it } from 'vitest'
import { ago, slice } from '../slices.fixtures.ts'
import { publishedIn, readyIn, slicesByName } from './published-addresses.ts'

describe('what is published', () => {
  it('is nothing of a slice that is being deleted', () => {
    const going = slice('a')
    const metadata = { ...going.metadata, deletionTimestamp: ago(1) as never }
    expect([...slicesByName([{ ...going, metadata }, slice('b')]).keys()]).toEqual(['b'])
  })

  it('is nothing in a slice without endpoints', () => {
    const bare = { addressType: 'IPv4' } as ReturnType<typeof slice>
    expect([...publishedIn(bare), ...readyIn(bare)]).toEqual([])
  })

  it('is another thing on other ports', () => {
    const [here] = publishedIn(slice('a', { addresses: ['10.0.0.1'] }))
    const [there] = publishedIn(slice('a', { addresses: ['10.0.0.1'], port: 81 }))
    const [nowhere] = publishedIn({ ...slice('a', { addresses: ['10.0.0.1'] }), ports: [] })
    expect(new Set([here, there, nowhere]).size).toBe(3)
  })
})
