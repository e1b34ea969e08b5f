import { describe, expect, it, vi } from 'vitest'
import { EKS, SECRET, SECRET_ARN, useDirectory } from './directory.fixtures.ts'
import { description } from './fake-aws.fixtures.ts'
import type { ClusterConfig } from './index.ts'

const CA = '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n'

describe('the clusters of a deployment', () => {
  const scene = useDirectory()
  const { directoryOf } = scene
  const connectionOf = async (...clusters: ClusterConfig[]) => {
    const [connection] = await directoryOf(...clusters).connections()
    if (connection === undefined) throw new Error('no connection')
    return connection
  }
  const hold = (secret: unknown): void => void scene.aws.secrets.set(SECRET_ARN, JSON.stringify(secret))

  describe('of EKS', () => {
    it('are reached where EKS says, with a token of our own, renewed before it expires', async () => {
      scene.aws.clusters.set('prod', description())
      const connection = await connectionOf(EKS)
      const credentials = await connection.credentials()
      expect(credentials).toMatchObject({
        server: new URL('https://abc.eks.amazonaws.com'),
        ca: '-----BEGIN CERTIFICATE-----',
        headers: { authorization: expect.stringMatching(/^Bearer k8s-aws-v1\./) },
        expiresAt: 1_000_000 + 14 * 60_000,
      })
    })

    it.each([
      ['with the token that ends', 14 * 60_000, 1],
      ['shortly before the hour', 60 * 60_000 - 1, 1],
      ['with the hour', 60 * 60_000, 2],
    ])('are described by the hour, whatever becomes of tokens: asked again %s', async (_, ms, times) => {
      scene.aws.clusters.set('prod', description())
      const connection = await connectionOf(EKS)
      await connection.credentials()
      vi.advanceTimersByTime(ms)
      await connection.credentials()
      expect(scene.aws.asked.filter((what) => what === 'cluster prod')).toHaveLength(times)
    })

    it('are described again, once a minute, when their credentials did not serve to their end', async () => {
      scene.aws.clusters.set('prod', description())
      const connection = await connectionOf(EKS)
      await connection.credentials()
      const endpoint = new URL('https://new.eks.amazonaws.com')
      scene.aws.clusters.set('prod', { ...description(), endpoint })
      vi.advanceTimersByTime(59_000)
      expect((await connection.credentials()).server).not.toEqual(endpoint)
      vi.advanceTimersByTime(1_000)
      expect((await connection.credentials()).server).toEqual(endpoint)
      expect(scene.aws.asked.filter((what) => what === 'cluster prod')).toHaveLength(2)
      scene.aws.clusters.delete('prod')
      for (const _ of [1, 2, 3, 4]) {
        vi.advanceTimersByTime(30_000)
        expect((await connection.credentials()).server).toEqual(endpoint)
      }
      expect(scene.aws.asked.filter((what) => what === 'cluster prod')).toHaveLength(4)
    })

    it('are described again, however far the clock was set back', async () => {
      scene.aws.clusters.set('prod', description())
      const connection = await connectionOf(EKS)
      await connection.credentials()
      const endpoint = new URL('https://new.eks.amazonaws.com')
      scene.aws.clusters.set('prod', { ...description(), endpoint })
      vi.setSystemTime(Date.now() - 600_000)
      expect((await connection.credentials()).server).toEqual(endpoint)
    })

    it('stay reachable while EKS’ own API is down, which is reported', async () => {
      scene.aws.clusters.set('prod', description())
      const connection = await connectionOf(EKS)
      await connection.credentials()
      vi.advanceTimersByTime(61 * 60_000)
      scene.aws.clusters.delete('prod')
      await expect(connection.credentials()).resolves.toBeDefined()
      expect(scene.log).toMatch(/"cluster":"eu-1".*continuing with what EKS last reported of the cluster/)
      expect(scene.log).toContain('there is no cluster prod')
    })

    it('cannot be reached before they were ever described', async () => {
      await expect((await connectionOf(EKS)).credentials()).rejects.toThrow('there is no cluster prod')
    })
  })

  describe('with a secret', () => {
    it('are reached as it says; its certificate authority may be in base64', async () => {
      hold({ server: 'https://10.0.0.1:6443/a', ca: Buffer.from(CA).toString('base64'), token: 's3cret' })
      expect(await (await connectionOf(SECRET)).credentials()).toEqual({
        server: new URL('https://10.0.0.1:6443/a'),
        ca: CA,
        headers: { authorization: 'Bearer s3cret' },
        expiresAt: 1_000_000 + 5 * 60_000,
      })
    })

    it('take up a rotated token, but do not ask for it with every request that is refused', async () => {
      hold({ server: 'https://a', ca: CA, token: 'old' })
      const connection = await connectionOf(SECRET)
      await connection.credentials()
      hold({ server: 'https://a', ca: CA, token: 'new' })
      expect((await connection.credentials()).headers.authorization).toBe('Bearer old')
      vi.advanceTimersByTime(10_000)
      expect((await connection.credentials()).headers.authorization).toBe('Bearer new')
      expect(scene.aws.asked).toHaveLength(2)
      hold({ server: 'https://a', ca: CA, token: 'newest' })
      vi.setSystemTime(Date.now() - 600_000)
      expect((await connection.credentials()).headers.authorization).toBe('Bearer newest')
    })

    it('go on with the last good one when somebody breaks it, and say so without telling it', async () => {
      hold({ server: 'https://a', ca: CA, token: 's3cret' })
      const connection = await connectionOf(SECRET)
      await connection.credentials()
      vi.advanceTimersByTime(600_000)
      hold({ server: 'https://a', ca: CA, token: 'has s3cret spaces' })
      await expect(connection.credentials()).resolves.toMatchObject({
        headers: { authorization: 'Bearer s3cret' },
        expiresAt: Date.now() + 5 * 60_000,
      })
      expect(scene.log).toContain('token must be a bearer token')
      expect(scene.log).not.toContain('s3cret')
    })

    it.each([
      [
        'an http server',
        { server: 'http://a', ca: CA, token: 't' },
        /server must be an https URL: tokens are sent over TLS only/,
      ],
      [
        'no certificate authority',
        { server: 'https://a', token: 't' },
        /ca must be given: the certificate authority/,
      ],
      ['one that is no PEM', { server: 'https://a', ca: 'MII', token: 't' }, /ca must be PEM text/],
      ['no token', { server: 'https://a', ca: CA }, /token must be given/],
      ['no URL', { server: '10.0.0.1', ca: CA, token: 't' }, /server must be a URL/],
      [
        'an exec plugin',
        { server: 'https://a', ca: CA, exec: { command: 'aws' } },
        /exec is not known: functions run no exec plugins/,
      ],
      [
        'an exec plugin beside something else',
        { server: 'https://a', ca: CA, token: 't', exec: {}, more: 1 },
        /exec, more is not known: functions run no exec plugins/,
      ],
      ['an unknown field', { server: 'https://a', ca: CA, token: 't', more: 1 }, /more is not known;/],
    ])('refuses %s in one line', async (_, secret, problem) => {
      hold(secret)
      const error = await (await connectionOf(SECRET)).credentials().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        name: 'ClusterConfigError',
        message: expect.stringMatching(problem),
        retryable: false,
      })
      expect((error as Error).message).toMatch(/^cluster "edge": secret arn:.*[^\n]*$/)
    })

    it.each([
      ['  kind: Config', /it is a kubeconfig/],
      ['mykind: Config', /its text is not JSON/],
    ])('refuses the text %j', async (text, problem) => {
      scene.aws.secrets.set(SECRET_ARN, text)
      await expect((await connectionOf(SECRET)).credentials()).rejects.toThrow(problem)
    })

    it('refuses a kubeconfig, which may have exec plugins', async () => {
      scene.aws.secrets.set(SECRET_ARN, 'apiVersion: v1\nkind: Config\nusers:\n- user: {token: s3cret}\n')
      const error = await (await connectionOf(SECRET)).credentials().catch(String)
      expect(error).toMatch(/it is a kubeconfig, and functions run no exec plugins/)
      expect(error).not.toContain('s3cret')
    })
  })
})
