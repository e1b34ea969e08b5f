import { describe, expect, it } from 'vitest'
import { EndpointSliceError, InvalidOptionError } from './errors.ts'
import { resolveOptions } from './options.ts'
import { upstreamPacking } from './packing/index.ts'

describe('resolveOptions', () => {
  it('fills in the defaults', () => {
    expect(resolveOptions()).toEqual({
      maxEndpointsPerSlice: 100,
      managedBy: 'sliceflow.dev',
      labels: {},
      triggerTime: undefined,
      namesInUse: new Set(),
      policy: upstreamPacking,
      comparedLabels: 'upstream',
    })
  })

  it.each([1, 1000])('accepts a maximum of %d', (maxEndpointsPerSlice) => {
    expect(resolveOptions({ maxEndpointsPerSlice }).maxEndpointsPerSlice).toBe(maxEndpointsPerSlice)
  })

  it.each([0, 1001, 1.5, Number.NaN, '100'])('refuses a maximum of %j', (max) => {
    expect(() => resolveOptions({ maxEndpointsPerSlice: max as number })).toThrow(
      /^invalid option maxEndpointsPerSlice: expected an integer from 1 to 1000, got /,
    )
  })

  it.each(['', 'a b', '-a', 'a'.repeat(64)])('refuses the managed-by value %j', (managedBy) => {
    expect(() => resolveOptions({ managedBy })).toThrow(InvalidOptionError)
  })

  it('refuses to compare labels in a way that there is not', () => {
    expect(() => resolveOptions({ comparedLabels: 'some' as 'all' })).toThrow(
      /^invalid option comparedLabels: expected upstream or all, got /,
    )
  })

  it('refuses a trigger time that is none, and names the option', () => {
    try {
      resolveOptions({ triggerTime: 'yesterday' })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(EndpointSliceError)
      expect(error).toMatchObject({ name: 'InvalidOptionError', option: 'triggerTime' })
    }
  })
})
