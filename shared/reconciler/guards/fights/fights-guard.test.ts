import { expect, it } from 'vitest'
import { fightEvent } from './fights-guard.ts'

it.each([
  ['edits', 'kubectl', /^kubectl keeps changing EndpointSlice a, b: /],
  ['edits', undefined, /^a writer that managedFields do not name, .* keeps changing EndpointSlice a, b: /],
  ['deletions', 'kubectl', /^kubectl keeps deleting its EndpointSlices/],
  ['deletions', undefined, /^somebody keeps deleting its EndpointSlices/],
  ['writers', 'w1', /^another Sliceflow \(writer w1\) .* keeps writing its EndpointSlices/],
] as const)('the Event of a fight over %s by %s says who does what', (kind, opponent, words) => {
  expect(fightEvent({ kind, opponent, slices: ['a', 'b'], quietMs: 1 }).message).toMatch(words)
})
