import { cpuUsage } from 'node:process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactSecrets } from './index.ts'

describe('a text of others that is reported', () => {
  it.each([
    ['the token eyJhbGciOi.eyJpc3MiOi.c2ln-x_y was refused', 'the token [redacted] was refused'],
    ['authorization: Bearer abc.def/123=, then more', 'authorization: Bearer [redacted], then more'],
    ['BASIC  dXNlcjpwYXNz', 'BASIC  [redacted]'],
    ['it must be a bearer token. Basic rules hold', 'it must be a bearer token. Basic rules hold'],
    ['token k8s-aws-v1.aHR0cHM6Ly9zdHM', 'token [redacted]'],
    ['eyJ, eyJabc and eyJabcdefg, but eyJabcdefgh', 'eyJ, eyJabc and eyJabcdefg, but [redacted]'],
    ['Bearer Token, bearer -dash and bearer ABc', 'Bearer Token, bearer -dash and bearer [redacted]'],
    ['https://user:hunter2@example.com/ is down', 'https://[redacted]@example.com/ is down'],
    [
      'Get "https://10.0.0.1:6443/api": EOF of keyJ_and-more',
      'Get "https://10.0.0.1:6443/api": EOF of keyJ_and-more',
    ],
  ])('keeps no secret and all else: %s', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted)
  })

  it('is whole up to 4096 characters, and cut beyond that where there is no space, or only the first is one', () => {
    const whole = 'x'.repeat(4_096)
    expect(redactSecrets(whole)).toBe(whole)
    expect(redactSecrets(`${whole}x`)).toBe(`${whole}…`)
    expect(redactSecrets(` ${whole}`)).toBe(` ${whole.slice(1)}…`)
  })

  it('is cut, at a space and never within a token', () => {
    const redacted = redactSecrets(`${'word '.repeat(815)} https://user:${'x'.repeat(100)}@host`)
    expect(redacted).toMatch(/word …$/)
    const token = `eyJ${'a'.repeat(100_000)}.b.c`
    expect(redactSecrets(token)).toBe('[redacted]…')
    expect(redactSecrets('a'.repeat(100_000)).length).toBeLessThan(4_100)
  })

  it('stays as it is where it is short and holds no secret', () => {
    const word = fc.stringMatching(/^[a-z0-9 ,;:"()]{0,40}$/).filter((text) => !/b(earer|asic)/.test(text))
    fc.assert(fc.property(word, (text) => redactSecrets(text) === text))
  })

  it.each(['eyJ-', 'eyJa.', 'bearer ', ' ', '://a', '://', 'k8s-aws-v1.', 'a.b-', 'x@', '-', 'basic\t'])(
    'costs next to nothing, however long and whatever it repeats: %j',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length)
      const before = cpuUsage()
      for (let times = 0; times < 20; times++) redactSecrets(text)
      const { user } = cpuUsage(before)
      expect(user / 1000).toBeLessThan(200)
    },
  )
})
