import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../test/support/any-character.ts'
import { userOfHeaders } from '../../auth/security/request-header.ts'
import { requestHeaders, responseHeaders } from './forwarded-headers.ts'
import { identityHeaders } from './identity-headers.ts'
import { escapedPath, pathParts } from './target-path.ts'

const server = createServer((incoming, response) => {
  seen = incoming
  response.end()
})
let seen: IncomingMessage | undefined

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
})

/** Returns the headers as another server reads them off the wire. */
function sent(headers: Record<string, unknown>): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', headers: headers as Record<string, string> }, () => {
      if (seen) resolve(seen)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const message = (rawHeaders: string[]): IncomingMessage =>
  ({
    rawHeaders,
    headers: Object.fromEntries(
      rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1]]] : [],
      ),
    ),
  }) as IncomingMessage

describe('who a request is from', () => {
  // Headers are trimmed, and empty ones count as absent.
  const text = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 20 })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no header may have
    .filter((value) => !/[\x00-\x1f\x7f]/.test(value) && value.isWellFormed() && value.trim() === value)
  const key = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 10 })
    .filter((value) => value.isWellFormed() && value.toLowerCase() === value)

  it('arrives at the other server as it was, whatever it is', async () => {
    const user = fc.record(
      {
        username: text,
        groups: fc.array(text, { maxLength: 3 }),
        uid: text,
        extra: fc.dictionary(key, fc.array(text, { minLength: 1, maxLength: 2 }), { minKeys: 1, maxKeys: 3 }),
      },
      { requiredKeys: ['username', 'groups'] },
    )
    await fc.assert(
      fc.asyncProperty(user, async (value) => {
        const incoming = await sent(identityHeaders(value))
        expect(userOfHeaders(incoming, { clientAuthorities: [] })).toEqual({
          ...value,
          extra: value.extra && { ...value.extra },
        })
      }),
      { numRuns: 100 },
    )
  })
})

describe('headers that go on', () => {
  it('are not those of one connection, of credentials, or of what a client says of itself', () => {
    const kept = ['Accept', 'a', 'X-Twice', '1', 'X-Twice', '2', 'X-Forwarded-For', '1.2.3.4']
    const dropped = [
      ...['Connection', 'close, X-Hop', 'X-Hop', '1', 'Keep-Alive', '1', 'TE', 'x', 'Trailer', 'x'],
      ...['Transfer-Encoding', 'chunked', 'Upgrade', 'x', 'Proxy-Authorization', 'x', 'Host', 'h'],
      ...['Authorization', 'Bearer x', 'Expect', '100-continue', ':path', '/'],
      ...['Impersonate-User', 'root', 'Impersonate-Extra-A', 'b'],
      ...[
        'X-Remote-User',
        'root',
        'x-remote-group',
        'system:masters',
        'X-Remote-Uid',
        '0',
        'X-REMOTE-EXTRA-a',
        'b',
      ],
    ]
    expect(requestHeaders(message([...kept, ...dropped]))).toEqual({
      accept: 'a',
      'x-twice': ['1', '2'],
      'x-forwarded-for': '1.2.3.4',
    })
  })

  it('of an answer are not those of one connection or about other origins', () => {
    const raw = ['Content-Type', 'x', 'Connection', 'keep-alive', 'Access-Control-Allow-Origin', '*']
    expect(responseHeaders(message(raw))).toEqual({ 'content-type': 'x' })
  })
})

describe('a path', () => {
  it.each([
    ['/apis/a/v1/zs/b%2Fc', '/apis/a/v1/zs/b/c'],
    ['/apis/a/v1/zs/a:b@c+d', '/apis/a/v1/zs/a:b@c+d'],
    ['/apis/a/v1/zs/%20%0d%0a', '/apis/a/v1/zs/%20%0D%0A'],
    ['/apis/a/v1/zs/ü', '/apis/a/v1/zs/%C3%BC'],
    ['/apis/a/v1/zs/%zz', '/apis/a/v1/zs/%25zz'],
    ['/apis/a/v1/', '/apis/a/v1/'],
  ])('%s goes on as %s', (path, target) => {
    expect(escapedPath(path)).toBe(target)
  })

  it.each(['/apis/a/v1/../../v2', '/apis/a/v1/%2e%2e/x', '/apis/a/v1/.'])(
    'is nobody’s that leaves its place: %s',
    (path) => {
      expect(pathParts(path)).toBeUndefined()
    },
  )

  it('goes on without anything that ends a line of HTTP', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(escapedPath(`/${text}`)).toMatch(/^\/[\x21-\x7e]*$/)
      }),
    )
  })
})
