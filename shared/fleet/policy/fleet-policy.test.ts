import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FleetPolicy, fleetPolicyText, readFleetPolicy } from './fleet-policy.ts'

function read(text: unknown): {
  readonly policy: FleetPolicy | undefined
  readonly faults: readonly string[]
} {
  const faults: string[] = []
  return { policy: readFleetPolicy(text, (fault) => faults.push(fault)), faults }
}

describe('the policy of an import', () => {
  it.each<[string, FleetPolicy | undefined]>([
    ['{"prefer":"own"}', { own: { failoverBelow: 50, returnAt: 75 }, weights: new Map() }],
    ['{"prefer":"own","failoverBelow":0}', { own: { failoverBelow: 0, returnAt: 50 }, weights: new Map() }],
    [
      '{"prefer":"own","failoverBelow":99}',
      { own: { failoverBelow: 99, returnAt: 100 }, weights: new Map() },
    ],
    [
      ' {"prefer": "own", "failoverBelow": 30, "returnAt": 31, "weights": {"us-1": 0}} ',
      { own: { failoverBelow: 30, returnAt: 31 }, weights: new Map([['us-1', 0]]) },
    ],
    [
      '{"weights":{"us-1":25,"eu.registry":100}}',
      {
        weights: new Map([
          ['us-1', 25],
          ['eu.registry', 100],
        ]),
      },
    ],
  ])('is read from %s', (text, expected) => {
    expect(read(text)).toEqual({ policy: expected, faults: [] })
  })

  it('is none where nothing is said', () => {
    for (const nothing of [undefined, null]) expect(read(nothing)).toEqual({ policy: undefined, faults: [] })
  })

  it.each([
    ['prefer=own', 'it is no JSON object of up to 4096 characters, such as {"prefer":"own"'],
    ['', 'it is no JSON object'],
    ['[]', 'it is no JSON object'],
    [`{"prefer":"own"${' '.repeat(4096)}}`, 'it is no JSON object of up to 4096 characters'],
    ['{}', 'it says neither "prefer":"own" nor weights'],
    ['{"prefer":"mine"}', 'prefer is not "own"'],
    [
      '{"prefer":"own","failOverBelow":30}',
      '"failOverBelow" is not one of prefer, failoverBelow, returnAt, weights (did you mean failoverBelow?)',
    ],
    ['{"prefer":"own","zone":"eu"}', '"zone" is not one of prefer, failoverBelow, returnAt, weights'],
    ['{"prefer":"own","failoverBelow":100}', 'failoverBelow is not a number from 0 to 99'],
    ['{"prefer":"own","failoverBelow":"50%"}', 'failoverBelow is not a number from 0 to 99'],
    ['{"prefer":"own","failoverBelow":0.5}', 'failoverBelow is not a number from 0 to 99'],
    ['{"prefer":"own","failoverBelow":60,"returnAt":60}', 'returnAt is not a number from 61 to 100'],
    ['{"failoverBelow":60}', 'failoverBelow and returnAt need "prefer":"own" beside them'],
    ['{"weights":[]}', 'weights is no object of up to 50 clusters'],
    ['{"weights":{"us-1":101}}', 'weights["us-1"] is not a number from 0 to 100'],
    ['{"weights":{"us-1":null}}', 'weights["us-1"] is not a number from 0 to 100'],
    ['{"weights":{"US 1":1}}', 'weights["US 1"] has no cluster\'s id before its colon'],
    ['{"weights":{"__proto__":1}}', 'weights["__proto__"] has no cluster\'s id before its colon'],
    [
      JSON.stringify({ weights: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`c-${at}`, 1])) }),
      'weights is no object of up to 50 clusters',
    ],
  ])('is none for %s, and what is wrong is reported', (text, fault) => {
    const { policy, faults } = read(text)
    expect(policy).toBeUndefined()
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(`metadata.annotations[sliceflow.dev/fleet-policy], as ${fault}`)
    expect(faults[0]?.length).toBeLessThan(300)
  })

  it('is never half of what was written: whatever it is, it is read as a whole or not at all', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), (value) => {
        const { policy, faults } = read(typeof value === 'string' ? value : JSON.stringify(value))
        expect(policy === undefined).toBe(faults.length === 1)
      }),
    )
  })

  it('is written with its defaults, and read again as it was', () => {
    expect(fleetPolicyText(read('{"weights":{"us":1,"eu":2},"prefer":"own"}').policy as FleetPolicy)).toBe(
      '{"prefer":"own","failoverBelow":50,"returnAt":75,"weights":{"eu":2,"us":1}}',
    )
    const percent = fc.integer({ min: 0, max: 100 })
    const policy = fc.record(
      {
        prefer: fc.constant('own'),
        failoverBelow: fc.integer({ min: 0, max: 99 }),
        weights: fc.dictionary(fc.constantFrom('eu', 'us', 'ap-1', '7'), percent, { minKeys: 1 }),
      },
      { requiredKeys: ['prefer'] },
    )
    fc.assert(
      fc.property(policy, (written) => {
        const first = read(JSON.stringify(written)).policy as FleetPolicy
        expect(read(fleetPolicyText(first))).toEqual({ policy: first, faults: [] })
      }),
    )
  })
})
