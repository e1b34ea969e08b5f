import { expect, it } from 'vitest'
import type { ImportOutcome } from './import/sync-import.ts'
import type { Merge } from './merging/merged-service.ts'
import { fleetSummary } from './sync-fleet-service.ts'

const outcome = (more: Partial<ImportOutcome>): ImportOutcome =>
  ({ fights: [], findings: [], events: [], state: {}, ...more }) as unknown as ImportOutcome
const instead = { create: [], update: [], delete: [] }

it.each([
  ['that somebody else has the name of', true, { problem: 'no' }, 1],
  ['that is in nobody’s way', false, { problem: 'no' }, 0],
  ['that a guard blocks', true, { findings: [{ guard: 'held', events: [], instead }] }, 1],
  ['that a guard only reports', true, { findings: [{ guard: 'held', events: [] }] }, 0],
])('an import %s counts as blocked', (_, isExported, more, blocked) => {
  const merge = { ...(isExported && { merged: { clusters: ['a'] } }), wantedConditions: new Map() } as unknown
  expect(fleetSummary(merge as Merge, new Map([['a', outcome(more)]]))).toMatchObject({ blocked })
})
