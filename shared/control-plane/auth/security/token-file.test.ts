import { describe, expect, it } from 'vitest'
import { parseTokenFile } from './token-file.ts'

describe('a token file', () => {
  it('names a user a line, with uid and groups where it has them', () => {
    const text = 'abc,ada,7,"dev, ops"\n\nxyz , "bob"\r\n123,eve,,solo\n'
    expect(parseTokenFile(text)).toEqual({
      abc: { username: 'ada', uid: '7', groups: ['dev', 'ops'] },
      xyz: { username: 'bob', groups: [] },
      123: { username: 'eve', groups: ['solo'] },
    })
  })

  it('with a line that names nobody, or a token twice, is refused without showing the token', () => {
    for (const text of ['a,ada\nsecret-token', 'secret-token,ada\nsecret-token,bob']) {
      let message = ''
      try {
        parseTokenFile(text)
      } catch (error) {
        message = String(error)
      }
      expect(message).toContain('failed to read line 2 of the token file')
      expect(message).not.toContain('secret-token')
    }
  })
})
