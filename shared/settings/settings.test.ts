import { describe, expect, it } from 'vitest'
import { describeSettings, flagOf, parseSettings, SettingsError, variableOf } from './index.ts'

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
    [{ maxEndpointsPerSlice: 0 }, '--max-endpoints-per-slice'],
    [{ maxEndpointsPerSlice: 1001 }, '--max-endpoints-per-slice'],
    [{ maxEndpointsPerSlice: 'many' }, '--max-endpoints-per-slice'],
    [{ mode: 'both' }, '--mode'],
    [{ packing: 'tight' }, '--packing'],
    [{ managedBy: 'a b' }, '--managed-by'],
    [{ maxReceiveCount: 4 }, '--max-receive-count'],
    [{ shard: '3/3' }, '--shard'],
    [{ shard: '1' }, '--shard'],
    [{ shard: '0/0' }, '--shard'],
    [{ shard: '-1/3' }, '--shard'],
    [{ leftovers: 'drop' }, '--leftovers'],
    [{ unreachableCluster: 'forget' }, '--unreachable-cluster'],
    [{ maximumRemoval: 1.1 }, '--maximum-removal'],
    [{ maximumRemoval: '50%' }, '--maximum-removal'],
    [{ maximumWrites: -1 }, '--maximum-writes'],
    [{ refusedAddresses: '10.0.0.0' }, '--refused-addresses'],
    [{ refusedAddresses: '10.0.0.0/33' }, '--refused-addresses'],
    [{ refusedAddresses: 'fd00::/129' }, '--refused-addresses'],
    [{ refusedAddresses: '10.0.0.0/8/8' }, '--refused-addresses'],
    [{ refusedAddresses: '' }, '--refused-addresses'],
    [{ refusedAddresses: 'none,10.0.0.0/8' }, '--refused-addresses'],
  ])('%j is refused by name', (input, flag) => {
    expect(() => parseSettings(input, flagOf)).toThrow(new RegExp(`^${flag}: `))
    expect(() => parseSettings(input, flagOf)).toThrow(SettingsError)
  })

  it.each([1, 1000])('a slice may hold at most %i endpoints', (maxEndpointsPerSlice) => {
    expect(parseSettings({ maxEndpointsPerSlice }).maxEndpointsPerSlice).toBe(maxEndpointsPerSlice)
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

  it('refuse what is neither true nor false', () => {
    expect(() => parseSettings({ shadow: 'perhaps' }, flagOf)).toThrow(/^--shadow: /)
  })

  it('refuses a setting that does not exist', () => {
    expect(() => parseSettings({ batchWindows: 1 } as never)).toThrow(/batchWindows/)
  })

  it('refuses batches above 10 without a window, as Lambda does', () => {
    expect(() => parseSettings({ batchSize: 11 })).toThrow(/batchSize: above 10 needs a batch window/)
    expect(parseSettings({ batchSize: 11, batchWindow: 1 }).batchSize).toBe(11)
  })

  it('are described one by one, defaults included', () => {
    const described = describeSettings()
    expect(described.map(({ name }) => name)).toContain('resyncInterval')
    for (const { description, placeholder } of described)
      expect([description, placeholder]).not.toContain(undefined)
  })

  it('are spelt as flags and as environment variables', () => {
    expect(flagOf('maxEndpointsPerSlice')).toBe('--max-endpoints-per-slice')
    expect(variableOf('maxEndpointsPerSlice')).toBe('SLICEFLOW_MAX_ENDPOINTS_PER_SLICE')
  })
})
