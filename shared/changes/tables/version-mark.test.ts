import { describe, expect, it } from 'vitest'
import { VersionMark } from './version-mark.ts'

describe('a version mark', () => {
  it('knows the newest version that it was given, as numbers are ordered', () => {
    const mark = new VersionMark()
    expect(mark.version).toBeUndefined()
    for (const version of ['9', '10', '2']) mark.advance(version)
    expect(mark.version).toBe('10')
  })

  it.each([undefined, '', 'abc', '1e3', '-4', 12, null, {}, '1'.repeat(65)])(
    'knows none after %j, until the next number',
    (version) => {
      const mark = new VersionMark()
      mark.reset('5')
      mark.advance(version)
      expect(mark.version).toBeUndefined()
      mark.advance('6')
      expect(mark.version).toBe('6')
    },
  )

  it('goes back where it is told to', () => {
    const mark = new VersionMark()
    mark.advance('10')
    mark.reset('3')
    expect(mark.version).toBe('3')
    mark.reset()
    expect(mark.version).toBeUndefined()
  })
})
