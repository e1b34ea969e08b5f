import { expect, it } from 'vitest'
import type { GuardInput, GuardSettings } from './guard.ts'
import { OVERSIZED_GUARD } from './oversized.ts'
import { changes } from './slices.fixtures.ts'

it.each([
  [5, 6, true],
  [5, 5, false],
  [0, 1_000_000, false],
])(
  'with at most %i endpoints (0: any number), a plan of %i is blocked: %s',
  (maximumEndpoints, endpoints, isSo) => {
    const input = { planned: { stats: { endpointsDesired: endpoints } } } as GuardInput
    const finding = OVERSIZED_GUARD.check?.(input, { maximumEndpoints } as GuardSettings)
    if (!isSo) return expect(finding).toBeUndefined()
    expect(finding).toMatchObject({
      instead: changes(),
      log: { fields: { endpoints } },
      events: [
        { reason: 'TooManyEndpoints', message: expect.stringContaining('more than 5 endpoints (setting') },
      ],
    })
  },
)
