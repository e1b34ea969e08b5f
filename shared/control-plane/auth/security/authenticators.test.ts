import { expect, it, onTestFinished } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

it('custom authenticators return the users of tokens that no other authenticator knows', async () => {
  const errors: unknown[] = []
  const asked: string[] = []
  const server = await TestServer.start({
    authentication: {
      tokens: { known: { username: 'ada', groups: [] } },
      authenticators: [
        async (token) => {
          asked.push(token)
          if (token === 'broken') throw new Error('failed to ask the directory')
          return token === 'joes' ? { username: 'joe', groups: ['dev'], uid: '7' } : undefined
        },
        (token) => (token === 'broken' ? { username: 'eve', groups: [] } : undefined),
      ],
    },
    observer: { onError: (error) => errors.push(error) },
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const who = async (token: string) => {
    const { status, body } = await server.ask('POST', WHO, { body: {}, token })
    return status === 201 ? body.status : status
  }

  expect(await who('joes')).toMatchObject({
    userInfo: { username: 'joe', uid: '7', groups: ['dev', 'system:authenticated'] },
  })
  expect(await who('known')).toMatchObject({ userInfo: { username: 'ada' } })
  expect(await who('other')).toBe(401)
  // The next one is asked, as upstream does.
  expect(await who('broken')).toMatchObject({ userInfo: { username: 'eve' } })
  expect(errors).toEqual([new Error('failed to ask the directory')])
  expect(asked).toEqual(['joes', 'other', 'broken'])
})
