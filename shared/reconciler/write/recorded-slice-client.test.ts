import { expect, it } from 'vitest'
import type { GuardedPlan } from '../guards/guard-plan.ts'
import { guardsSaid } from './recorded-slice-client.ts'

const held = (state: 'held' | 'released' | 'expired') => ({
  findings: [{ guard: 'held', events: [], hold: { state } }],
})
const changes = { create: [], update: [], delete: [] }
const PLAN: GuardedPlan = { changes, findings: [], fights: [] }
const fight = (...slices: readonly string[]) => ({
  slices,
  opponent: 'kubectl',
  kind: 'edits' as const,
  quietMs: 1,
})

it.each<[string, Partial<GuardedPlan>, object]>([
  ['nothing', {}, {}],
  ['that it is held', held('held'), { hold: 'held' }],
  ['that somebody released it', held('released'), { hold: 'released' }],
  ['that its hold is over', held('expired'), { hold: 'expired' }],
  ['nothing of other guards', { findings: [{ guard: 'oversized', events: [], instead: changes }] }, {}],
  ['which slices are left alone', { fights: [fight('a'), fight('b', 'c')] }, { fights: ['a', 'b', 'c'] }],
])('a recording tells of a plan by the guards %s', (_, plan, said) => {
  expect(guardsSaid({ ...PLAN, ...plan })).toEqual(said)
})
