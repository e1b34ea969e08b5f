import type { EndpointSlice } from '../../index.ts'
import { ourOutcome } from './ours.ts'
import type { TestCase } from './test-case.ts'

const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

/** Returns the slices once plan() has been applied to the case, by name, as an API server lists them. */
export function slicesAfter(testCase: TestCase): EndpointSlice[] {
  const { create, update, delete: removed } = ourOutcome(testCase)
  const updates = new Map(update.map((slice) => [nameOf(slice), slice]))
  const kept = testCase.slices
    .filter((slice) => !removed.includes(nameOf(slice)))
    .map((slice) => updates.get(nameOf(slice)) ?? slice)
  return [...kept, ...create.map(stored)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Adds what the API server gives a new object. */
function stored(slice: EndpointSlice): EndpointSlice {
  const metadata = { ...slice.metadata, uid: `uid-${nameOf(slice)}`, resourceVersion: '7', generation: 1 }
  return { ...slice, metadata }
}
