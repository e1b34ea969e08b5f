import { describe, expect, it } from 'vitest'
import {
  CONTENT_SCHEMAS,
  contentDigest,
  describeSettings,
  flagOf,
  parseSetting,
  parseSettings,
  type SettingName,
  SettingsError,
  variableOf,
  windowSeconds,
} from './index.ts'
import { OTHER_SETTINGS } from './settings.fixtures.ts'

describe('settings', () => {
  it('have a default each', () => {
    expect(parseSettings({})).toMatchObject({
      mode: 'custom',
      managedBy: 'sliceflow.dev',
      maxEndpointsPerSlice: 100,
      packing: 'upstream',
      batchWindow: 0,
    })
  })

  it('take numbers as text, as flags and environments give them', () => {
    expect(parseSettings({ maxEndpointsPerSlice: '250' }).maxEndpointsPerSlice).toBe(250)
  })

  it.each([
    [{ maximumRemoval: '50%' }, '; give 0.5'],
    [{ maximumRemoval: '150%' }, '; the nearest is 1'],
    [{ coalescingWindow: '500ms' }, '; give 0.5'],
    [{ coalescingWindow: '2s' }, '; give 2'],
    [{ sweepInterval: '5m' }, '; give 300'],
    [{ maxEndpointsPerSlice: '50%' }, 'from 1 to 1000'],
  ])('%j is answered with the number to give', (input, end) => {
    expect(() => parseSettings(input)).toThrow(new RegExp(`${end.replace('.', '\\.')}$`))
  })

  it.each([
    [{ managedBy: 'endpointslicemirroring-controller.k8s.io', mode: 'replace' }, '--managed-by'],
    [{ leftovers: 'drop' }, '--leftovers'],
    [{ unreachableCluster: 'forget' }, '--unreachable-cluster'],
    [{ refusedAddresses: '10.0.0.0' }, '--refused-addresses'],
    [{ refusedAddresses: 'fd00::/129' }, '--refused-addresses'],
    [{ refusedAddresses: '10.0.0.0/8/8' }, '--refused-addresses'],
    [{ refusedAddresses: '' }, '--refused-addresses'],
    [{ refusedAddresses: 'none,10.0.0.0/8' }, '--refused-addresses'],
  ])('%j is refused by name', (input, flag) => {
    expect(() => parseSettings(input, flagOf)).toThrow(new RegExp(`^${flag}: `))
    expect(() => parseSettings(input, flagOf)).toThrow(SettingsError)
  })

  it.each([
    [undefined, 'auto', 0.5],
    ['auto', 'auto', 0.5],
    ['0', 0, 0],
    [0.2, 0.2, 0.2],
  ])(
    'take %j for a coalescing window of %j, which is %d s where one time is asked for',
    (given, window, seconds) => {
      const settings = parseSettings({ coalescingWindow: given })
      expect(settings.coalescingWindow).toBe(window)
      expect(windowSeconds(settings)).toBe(seconds)
    },
  )

  it.each<[SettingName, unknown, string]>([
    [
      'maxEndpointsPerSlice',
      1001,
      '1001 is not a whole number of endpoints from 1 to 1000; the nearest is 1000',
    ],
    ['maxEndpointsPerSlice', '0', '"0" is not a whole number of endpoints from 1 to 1000; the nearest is 1'],
    ['batchWindow', '1.5', '"1.5" is not a whole number of seconds from 0 to 300; the nearest is 2'],
    ['batchWindow', '20s', '"20s" is not a whole number of seconds from 0 to 300'],
    ['batchWindow', '', '"" is not a whole number of seconds from 0 to 300'],
    ['maximumRemoval', '50', '"50" is not a number from 0 to 1; the nearest is 1'],
    ['coalescingWindow', 'often', '"often" is neither auto nor a number of seconds from 0 to 300'],
    [
      'coalescingWindow',
      301,
      '301 is neither auto nor a number of seconds from 0 to 300; the nearest is 300',
    ],
    ['recording', '2', '"2" is neither off nor on nor a number from 0 to 1; the nearest is 1'],
    ['mode', 'replce', '"replce" is not one of custom, replace; did you mean replace?'],
    ['packing', 'tight', '"tight" is not one of upstream, compact'],
    ['shadow', 'perhaps', '"perhaps" is neither true nor false'],
    ['shard', '3/3', '"3/3" has an index that is not below the count; the nearest is 2/3'],
    ['shard', '1', '"1" is not INDEX/COUNT, such as 0/3 for the first of three relays'],
    ['stateDir', 7, '7 is not text'],
    [
      'managedBy',
      '-mine',
      '"-mine" is not a label value: at most 63 letters, digits, "-", "_" or ".", the first and the last a letter or a digit',
    ],
    [
      'refusedAddresses',
      '10.0.0.0/33',
      '"10.0.0.0/33" is not a range: expected CIDR such as 10.0.0.0/8 or fd00::/8, "special" or "none"',
    ],
  ])('tell of %s %j the value, the unit, what is allowed and what is nearest', (name, value, message) => {
    expect(() => parseSettings({ [name]: value }, flagOf)).toThrow(`${flagOf(name)}: `)
    expect(() => parseSettings({ [name]: value }, flagOf)).toThrow(message)
  })

  it('show of a long value its beginning', () => {
    const message = messageOf(() => parseSettings({ mode: 'x'.repeat(10_000) }))
    expect(message).toBe(`mode: "${'x'.repeat(58)}… is not one of custom, replace`)
  })

  it.each(['special', 'none', '10.0.0.0/8', 'special, 10.0.0.0/0,fd00::/128'])(
    'refuses addresses in %s',
    (refusedAddresses) => {
      expect(parseSettings({ refusedAddresses }).refusedAddresses).toBe(refusedAddresses)
    },
  )

  it.each([
    [true, true],
    ['true', true],
    ['1', true],
    ['false', false],
    [undefined, false],
  ])('take %j for the shadow mode being %j', (shadow, expected) => {
    expect(parseSettings({ shadow }).shadow).toBe(expected)
  })

  /** The least and the most, in whole numbers where only these will do, and the value where none is given. */
  it.each<[SettingName, readonly [number, number], number, 'whole' | 'any']>([
    ['maxEndpointsPerSlice', [1, 1000], 100, 'whole'],
    ['unreachableClusterExpiry', [1, 604_800], 3600, 'whole'],
    ['maximumRemoval', [0, 1], 1, 'any'],
    ['maximumRemovalCount', [0, 100_000], 2, 'whole'],
    ['heldPlanExpiry', [0, 604_800], 3600, 'whole'],
    ['maximumEndpoints', [0, 1_000_000], 0, 'whole'],
    ['batchWindow', [0, 300], 0, 'whole'],
    ['maximumConcurrency', [2, 1000], 5, 'whole'],
    ['keysPerCluster', [1, 100], 8, 'whole'],
    ['apiCallsPerSecond', [1, 10_000], 1000, 'whole'],
    ['functionTimeout', [1, 900], 60, 'whole'],
    ['maxReceiveCount', [5, 1000], 12, 'whole'],
    ['standbyDelay', [0.5, 300], 2, 'any'],
    ['sweepInterval', [10, 86_400], 600, 'any'],
    ['auditInterval', [600, 604_800], 86_400, 'whole'],
  ])('has for %s what is in %j, and %d where none is given', (name, [least, most], preset, kind) => {
    for (const value of [least, most]) expect(parseSetting(name, value)).toBe(value)
    for (const value of [least - 0.25, most + 0.25, least - 1, most + 1, Number.NaN, 'x'])
      expect(() => parseSetting(name, value, flagOf)).toThrow(`${flagOf(name)}: `)
    expect(parseSetting(name, undefined)).toBe(preset)
    const between = (least + most) / 2 + (Number.isInteger((least + most) / 2) ? 0.25 : 0)
    if (kind === 'any') expect(parseSetting(name, between)).toBe(between)
    else expect(() => parseSetting(name, between)).toThrow(SettingsError)
  })

  it.each(['', ' ', null, true, []])(
    'take %j for no number, as a variable may be set to nothing',
    (value) => {
      for (const name of ['maximumRemoval', 'heldPlanExpiry', 'coalescingWindow'] as const)
        expect(() => parseSetting(name, value, flagOf)).toThrow(`${flagOf(name)}: `)
    },
  )

  it.each(['0/1', '2/3', '998/999', '0/999'])('take the shard %s', (shard) => {
    expect(parseSettings({ shard }).shard).toBe(shard)
  })

  it.each(['1/1', '0/0', '-1/3', '3/2', '0/1000', '1000/1000', '0/01', ' 0/1', '0/1 ', '00001/2', '/1', '0'])(
    'refuse the shard "%s"',
    (shard) => {
      expect(() => parseSettings({ shard }, flagOf)).toThrow(/^--shard: /)
    },
  )

  it.each(['a', 'a'.repeat(63), 'A.b-c_d', '0'])('take the label value %s', (managedBy) => {
    expect(parseSettings({ managedBy }).managedBy).toBe(managedBy)
  })

  it.each(['', 'a'.repeat(64), 'a b', '-a', 'a-', 'a/b', '.a', 'a_'])(
    'refuse the label value "%s"',
    (managedBy) => {
      expect(() => parseSettings({ managedBy }, flagOf)).toThrow(/^--managed-by: /)
    },
  )

  it('tell of all that is wrong at once, each by its name', () => {
    expect(() => parseSettings({ batchSize: 0, mode: 'x', batchWindows: 1 } as never, flagOf)).toThrow(
      /^--batch-windows: .*; --mode: .*; --batch-size: |--mode: .*; --batch-size: .*; --batch-windows: /,
    )
  })

  it('refuse a setting that does not exist, and name the nearest that does', () => {
    expect(() => parseSettings({ batchWindows: 1 } as never, flagOf)).toThrow(
      /^--batch-windows: is not a setting; did you mean --batch-window\?$/,
    )
    expect(() => parseSettings({ colour: 1 } as never)).toThrow(/^colour: is not a setting$/)
  })

  it('refuse the in-tree controller’s slices to custom mode, which would delete them, and say what to do', () => {
    const managedBy = 'endpointslice-controller.k8s.io'
    for (const input of [{ managedBy }, { managedBy, mode: 'custom' }, { managedBy, shadow: true }])
      expect(() => parseSettings(input, flagOf)).toThrow(/^--managed-by: .*set mode to replace/)
    expect(parseSettings({ managedBy, mode: 'replace' })).toMatchObject({ managedBy })
  })

  it('are checked one by one where a program needs no other', () => {
    const managedBy = 'endpointslice-controller.k8s.io'
    expect(parseSetting('managedBy', managedBy)).toBe(managedBy)
    expect(parseSetting('managedBy', undefined)).toBe('sliceflow.dev')
    expect(() => parseSetting('managedBy', 'a b', flagOf)).toThrow(
      /^--managed-by: "a b" is not a label value/,
    )
  })

  it('refuses a standby what it cannot do', () => {
    expect(() => parseSettings({ relayStandby: true, shadow: true })).toThrow(/^relayStandby: a shadow/)
    expect(() => parseSettings({ relayStandby: true, stateDir: '/state' })).toThrow(
      /^relayStandby: .*no checkpoint/,
    )
    expect(parseSettings({ relayStandby: 'true' })).toMatchObject({ relayStandby: true, standbyDelay: 2 })
  })

  it('refuses batches above 10 without a window, as Lambda does', () => {
    expect(() => parseSettings({ batchSize: 11 })).toThrow(/batchSize: above 10 needs a batch window/)
    expect(parseSettings({ batchSize: 11, batchWindow: 1 }).batchSize).toBe(11)
  })

  it('are described one by one, defaults included', () => {
    const described = describeSettings()
    expect(described.map(({ name }) => name)).toContain('sweepInterval')
    for (const { description, placeholder } of described)
      expect([description, placeholder]).not.toContain(undefined)
  })

  it('are spelt as flags and as environment variables', () => {
    expect(flagOf('maxEndpointsPerSlice')).toBe('--max-endpoints-per-slice')
    expect(variableOf('maxEndpointsPerSlice')).toBe('SLICEFLOW_MAX_ENDPOINTS_PER_SLICE')
  })
})

describe('the digest of the settings that decide what is published', () => {
  it('is the same for settings that are written otherwise', () => {
    const written = contentDigest(parseSettings({ maxEndpointsPerSlice: '100', shadow: 'false' }))
    expect(written).toBe(contentDigest(parseSettings({ mode: 'custom' })))
  })

  it.each(Object.entries(OTHER_SETTINGS))('changes with %s or does not: %j', (name, { value, decides }) => {
    const needed = name === 'serviceProjection' ? { endpointSelectors: true } : {}
    const [before, after] = [parseSettings(needed), parseSettings({ ...needed, [name]: value })]
    expect(contentDigest(after) !== contentDigest(before)).toBe(decides === 'content')
    expect(Object.hasOwn(CONTENT_SCHEMAS, name)).toBe(decides === 'content')
  })
})

function messageOf(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was wrong'
}
