import { expect, it } from 'vitest'
import type { SkippedObject } from '../../../endpointslice/index.ts'
import type { GuardInput, GuardSettings } from '../guard.ts'
import { REFUSED_GUARD } from './refused-addresses.ts'

const skip = (name: string, reason: SkippedObject['reason'] = 'RefusedAddress'): SkippedObject => ({
  ...{ kind: 'Pod', namespace: 'shop', name, reason },
  message: 'its address is bad',
})
const check = (...skipped: readonly SkippedObject[]) =>
  REFUSED_GUARD.check?.({ planned: { skipped } } as unknown as GuardInput, {} as GuardSettings)

it('refused addresses are counted, and one Event names the first by name, in whatever order they come', () => {
  for (const skipped of [
    [skip('b'), skip('odd', 'Malformed'), skip('a')],
    [skip('a'), skip('b')],
  ])
    expect(check(...skipped)).toMatchObject({
      count: 2,
      events: [{ message: expect.stringContaining('that of Pod shop/a: its address is bad;') }],
    })
  expect([check(skip('a', 'Malformed')), check()]).toEqual([undefined, undefined])
})
