import { expect, it } from 'vitest'
import type { GuardedPlan } from '../guards/index.ts'
import { guardsSaid } from './recorded-slice-client.ts'

const removal = { ready: 4, lost: 3 }
const changes = { create: [], update: [], delete: [] }
const PLAN: GuardedPlan = { changes, hold: { kind: 'none' }, fights: [], postponed: 0 }
const fight = (...slices: readonly string[]) => ({
  slices,
  opponent: 'kubectl',
  kind: 'edits' as const,
  quietMs: 1,
})

it.each<[string, Partial<GuardedPlan>, object]>([
  ['nothing', {}, {}],
  ['that it is held', { hold: { kind: 'held', removal, since: 'noon', changes } }, { hold: 'held' }],
  ['that somebody released it', { hold: { kind: 'released', removal, by: 'command' } }, { hold: 'released' }],
  ['that its hold is over', { hold: { kind: 'released', removal, by: 'expiry' } }, { hold: 'expired' }],
  ['nothing of one that is too large', { hold: { kind: 'oversized', endpoints: 9 } }, {}],
  ['which slices are left alone', { fights: [fight('a'), fight('b', 'c')] }, { fights: ['a', 'b', 'c'] }],
  ['how many writes wait', { postponed: 2 }, { postponed: 2 }],
])('a recording tells of a plan by the guards %s', (_, plan, said) => {
  expect(guardsSaid({ ...PLAN, ...plan })).toStrictEqual(said)
})
