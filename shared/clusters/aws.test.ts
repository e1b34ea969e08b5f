import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAws } from './index.ts'

const ROLE = 'arn:aws:iam::210987654321:role/sliceflow'
const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'
const PLACE = { region: 'eu-west-1' }
const CA = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')

const assumed = (expiration: Date): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>AKIDROLE</AccessKeyId><SecretAccessKey>x</SecretAccessKey><SessionToken>y</SessionToken><Expiration>${expiration.toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`

describe('what is asked of AWS', () => {
  let server: Server
  let bodies: string[]
  let answer: (request: IncomingMessage, response: ServerResponse) => void

  beforeEach(async () => {
    bodies = []
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        bodies.push(body)
        answer(request, response)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDOWN')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'never to be shown')
    vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    server.closeAllConnections()
    server.close()
  })

  const json = (body: unknown, status = 200): void => {
    answer = (_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const describeWith = (cluster: unknown) => {
    json({ cluster })
    return createAws().describeCluster('prod', PLACE)
  }

  it('is where an EKS cluster is', async () => {
    const cluster = { status: 'ACTIVE', endpoint: 'https://abc.eks', certificateAuthority: { data: CA } }
    expect(await describeWith(cluster)).toEqual({
      endpoint: new URL('https://abc.eks'),
      ca: '-----BEGIN CERTIFICATE-----',
    })
  })

  it.each([
    [
      'a cluster that is being made',
      { status: 'CREATING' },
      /endpoint has no https endpoint.*its status is CREATING/,
    ],
    [
      'an http endpoint',
      { status: 'ACTIVE', endpoint: 'http://a', certificateAuthority: { data: CA } },
      /: the answer cannot be used: endpoint has no https endpoint$/,
    ],
    [
      'no certificate authority',
      { status: 'ACTIVE', endpoint: 'https://a' },
      /has no certificate authority$/,
    ],
    [
      'a status that is none',
      { status: 5, endpoint: 'https://a', certificateAuthority: { data: CA } },
      /: the answer cannot be used: status [^(]*$/,
    ],
    [
      'nothing at all',
      undefined,
      /failed to describe EKS cluster prod in eu-west-1: the answer cannot be used: \S[^(]*$/,
    ],
  ])('refuses %s', async (_, cluster, problem) => {
    await expect(describeWith(cluster)).rejects.toThrow(problem)
  })

  it('says what failed and what to allow', async () => {
    json({ __type: 'AccessDeniedException', message: 'no' }, 403)
    await expect(createAws().describeCluster('prod', PLACE)).rejects.toMatchObject({
      message: expect.stringMatching(
        /failed to describe EKS cluster prod in eu-west-1: AccessDeniedException: no; .*allow eks:DescribeCluster/,
      ),
      cause: { name: 'AccessDeniedException' },
    })
    await expect(createAws().secretText(SECRET)).rejects.toThrow(/allow secretsmanager:GetSecretValue/)
  })

  it('is the text of a secret, which no error quotes', async () => {
    json({ SecretString: 's3cret' })
    expect(await createAws().secretText(SECRET)).toBe('s3cret')
    expect(bodies).toEqual([JSON.stringify({ SecretId: SECRET })])
    json({ SecretBinary: Buffer.from('s3cret').toString('base64') })
    const error = await createAws().secretText(SECRET).catch(String)
    expect(error).toMatch(/the secret has no text/)
    expect(error).not.toContain('s3cret')
  })

  const clusterArn = (name: string): string => `arn:aws-cn:eks:cn-north-1:123456789012:cluster/${name}`

  it('is every page of the clusters that have a tag, with all of their tags', async () => {
    const tags = [
      { Key: 'manage', Value: 'yes' },
      { Key: 'team', Value: '' },
    ]
    const pages = [
      { ResourceTagMappingList: [{ ResourceARN: clusterArn('a'), Tags: tags }], PaginationToken: 'more' },
      { ResourceTagMappingList: [], PaginationToken: 'last' },
      { ResourceTagMappingList: [{ ResourceARN: clusterArn('b_c') }], PaginationToken: '' },
    ]
    answer = (_, response) =>
      response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify(pages.shift()))
    const place = { region: 'cn-north-1', account: '123456789012' }
    expect(await createAws().taggedClusters({ tagKey: 'manage', tagValue: 'yes' }, PLACE)).toEqual([
      { ...place, arn: clusterArn('a'), clusterName: 'a', tags: { manage: 'yes', team: '' } },
      { ...place, arn: clusterArn('b_c'), clusterName: 'b_c', tags: {} },
    ])
    const [first, ...others] = bodies.map((body) => JSON.parse(body))
    expect(first).toEqual({
      ResourceTypeFilters: ['eks:cluster'],
      TagFilters: [{ Key: 'manage', Values: ['yes'] }],
      ResourcesPerPage: 100,
    })
    expect(others.map(({ PaginationToken }) => PaginationToken)).toEqual(['more', 'last'])
  })

  it('is any value of a tag where none is named, and never something that is no cluster', async () => {
    const node = 'arn:aws:eks:eu-west-1:123456789012:nodegroup/a/b/c'
    json({ ResourceTagMappingList: [{ ResourceARN: node }] })
    await expect(createAws().taggedClusters({ tagKey: 'manage' }, PLACE)).rejects.toThrow(
      /failed to find EKS clusters with the tag manage in eu-west-1: .*ResourceARN is not the ARN of an EKS/,
    )
    expect(JSON.parse(bodies[0] ?? '').TagFilters).toEqual([{ Key: 'manage' }])
    json({ __type: 'AccessDeniedException', message: 'no' }, 400)
    await expect(createAws().taggedClusters({ tagKey: 'manage' }, PLACE)).rejects.toThrow(
      /AccessDeniedException: no; allow tag:GetResources$/,
    )
  })

  it('fails when no answer comes for 20 s, also for a role, which is asked for again then', async () => {
    const open = new Set<ServerResponse>()
    answer = (_, response) => {
      open.add(response)
      response.on('close', () => open.delete(response))
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const aws = createAws()
    for (const call of [
      () => aws.describeCluster('prod', PLACE),
      () => aws.taggedClusters({ tagKey: 'manage' }, PLACE),
      () => aws.secretText(SECRET),
      () => aws.credentials({ ...PLACE, roleArn: ROLE }),
      () => aws.credentials({ ...PLACE, roleArn: ROLE }),
    ]) {
      const [before, outcome] = [bodies.length, expect(call()).rejects.toThrow(/no answer within 20 s/)]
      await vi.waitFor(() => expect(bodies.length).toBeGreaterThan(before))
      await vi.advanceTimersByTimeAsync(20_000)
      await outcome
      await vi.waitFor(() => expect(open.size).toBe(0))
    }
    vi.useRealTimers()
  })

  it('is a role of another account, once until shortly before it ends', async () => {
    let expiration = new Date(Date.now() + 3_600_000)
    answer = (_, response) => response.setHeader('content-type', 'text/xml').end(assumed(expiration))
    const aws = createAws()
    const place = { ...PLACE, roleArn: ROLE, externalId: 'fleet-7' }
    expect(await aws.credentials(place)).toMatchObject({ accessKeyId: 'AKIDROLE', sessionToken: 'y' })
    await aws.credentials(place)
    expect(bodies).toHaveLength(1)
    expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toMatchObject({
      RoleArn: ROLE,
      ExternalId: 'fleet-7',
      RoleSessionName: 'sliceflow',
    })
    expiration = new Date(Date.now() + 60_000)
    await aws.credentials({ ...place, externalId: 'other' })
    await aws.credentials({ ...place, externalId: 'other' })
    expect(bodies).toHaveLength(3)
  })

  it.each<[string, ('Date' | 'performance')[], number]>([
    ['once it ends in five minutes, and not sooner', ['Date'], 0],
    ['after 55 minutes, though the clock was set back meanwhile', ['Date', 'performance'], 3 * 3_600_000],
  ])('is a role again %s', async (_, toFake, setBackMs) => {
    vi.useFakeTimers({ toFake })
    onTestFinished(() => void vi.useRealTimers())
    answer = (_, response) =>
      response.setHeader('content-type', 'text/xml').end(assumed(new Date(Date.now() + 3_600_000)))
    const aws = createAws()
    const place = { ...PLACE, roleArn: ROLE }
    await aws.credentials(place)
    vi.setSystemTime(Date.now() - setBackMs)
    vi.advanceTimersByTime(55 * 60_000 - 1)
    await aws.credentials(place)
    expect(bodies).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await aws.credentials(place)
    expect(bodies).toHaveLength(2)
  })

  it('reports the role that refuses, and not its purpose', async () => {
    answer = (_, response) =>
      response
        .writeHead(403, { 'content-type': 'text/xml' })
        .end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>')
    const described = createAws().describeCluster('prod', { ...PLACE, roleArn: ROLE })
    await expect(described).rejects.toThrow(/^failed to assume role /)
  })

  it('is a role that refused before, as soon as its trust policy was mended', async () => {
    const refusal =
      '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>'
    answer = (_, response) => response.writeHead(403, { 'content-type': 'text/xml' }).end(refusal)
    const aws = createAws()
    const place = { ...PLACE, roleArn: ROLE }
    for (const _ of [1, 2])
      await expect(aws.credentials(place)).rejects.toThrow(/failed to assume role .*: AccessDenied: no/)
    expect(bodies).toHaveLength(2)
    answer = (_, response) =>
      response.setHeader('content-type', 'text/xml').end(assumed(new Date(Date.now() + 3_600_000)))
    expect(await aws.credentials(place)).toMatchObject({ accessKeyId: 'AKIDROLE' })
  })

  it('is the function’s own role otherwise', async () => {
    expect(await createAws().credentials(PLACE)).toMatchObject({ accessKeyId: 'AKIDOWN' })
  })
})
