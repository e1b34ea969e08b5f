import { describe, expect, it } from 'vitest'
import { minimumResourceVersion } from './read-object.ts'

describe('the minimum resource version of a first sync', () => {
  it('is the version of the message when every slice was written before', () => {
    expect(minimumResourceVersion('100', ['9', '99'])).toBe('100')
    expect(minimumResourceVersion('100', [])).toBe('100')
  })

  it('is none when a slice was written since, maybe for newer pods', () => {
    expect(minimumResourceVersion('100', ['99', '101'])).toBeUndefined()
    expect(minimumResourceVersion('100', ['100'])).toBeUndefined()
  })

  it.each([undefined, '', '0', '007', '-1', 'zz', '1.5'])(
    'is none without a usable version: %s',
    (version) => {
      expect(minimumResourceVersion(version, [])).toBeUndefined()
    },
  )

  it('is none where the versions of slices are no numbers', () => {
    expect(minimumResourceVersion('100', ['zz'])).toBeUndefined()
  })
})
