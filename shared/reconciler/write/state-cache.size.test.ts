import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { bytesOf } from './state-cache.ts'

const metadata = { name: 'web-1', namespace: 'shop' }

/** Reads JSON as the client does: members that a type has not may be null. */
const fromServer = (slice: object): EndpointSlice => JSON.parse(JSON.stringify({ metadata, ...slice }))

describe('the size of what is kept', () => {
  it('grows by the endpoints, and by the text of the annotations', () => {
    const empty = bytesOf(fromServer({ endpoints: [] }))
    const filled = bytesOf(
      fromServer({ endpoints: [{ addresses: ['10.1.0.1'] }, { addresses: ['10.1.0.2'] }] }),
    )
    const annotated = bytesOf(
      fromServer({ metadata: { ...metadata, annotations: { note: 'x'.repeat(500) } } }),
    )
    expect(filled).toBeGreaterThan(empty)
    expect(annotated).toBe(empty + 500)
  })

  it.each([
    { endpoints: null },
    { metadata: { ...metadata, annotations: null } },
    { metadata: { ...metadata, annotations: { note: null } } },
    {},
  ])('takes %j for an object without them, as an API server writes no endpoints as null', (slice) => {
    expect(bytesOf(fromServer(slice))).toBe(bytesOf(fromServer({ endpoints: [] })))
  })
})
