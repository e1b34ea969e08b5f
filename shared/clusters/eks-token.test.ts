import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEksToken } from './index.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const NOW = Date.UTC(2026, 10, 21, 12, 30, 5, 678)

const urlOf = (token: string): URL =>
  new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString())

async function signedByTheSdk(clusterName: string, sessionToken: string): Promise<string | null> {
  const signer = new SignatureV4({
    credentials: { ...credentials, sessionToken },
    region: 'eu-west-1',
    service: 'sts',
    sha256: Sha256,
  })
  const request = {
    method: 'GET',
    protocol: 'https:',
    hostname: 'sts.eu-west-1.amazonaws.com',
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host: 'sts.eu-west-1.amazonaws.com', 'x-k8s-aws-id': clusterName },
  }
  const signed = await signer.presign(request, {
    expiresIn: 60,
    signingDate: new Date(NOW),
    unhoistableHeaders: new Set(['x-k8s-aws-id']),
  })
  return String(signed.query?.['X-Amz-Signature'])
}

describe('the token of an EKS cluster', () => {
  it('has the signature that the AWS SDK makes', async () => {
    const names = fc.stringMatching(/^[0-9A-Za-z][0-9A-Za-z_-]{0,60}$/)
    const tokens = fc.base64String({ minLength: 4, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(names, tokens, async (clusterName, sessionToken) => {
        const { token } = createEksToken({
          clusterName,
          region: 'eu-west-1',
          stsHost: 'sts.eu-west-1.amazonaws.com',
          credentials: { ...credentials, sessionToken },
          now: NOW,
        })
        expect(urlOf(token).searchParams.get('X-Amz-Signature')).toBe(
          await signedByTheSdk(clusterName, sessionToken),
        )
      }),
      { numRuns: 30 },
    )
  })

  it('has the signature of the AWS SDK for characters that a URL need not escape, too', async () => {
    const sessionToken = "a!'()*~z"
    const { token } = createEksToken({
      clusterName: 'prod',
      region: 'eu-west-1',
      stsHost: 'sts.eu-west-1.amazonaws.com',
      credentials: { ...credentials, sessionToken },
      now: NOW,
    })
    const { searchParams } = urlOf(token)
    expect(searchParams.get('X-Amz-Security-Token')).toBe(sessionToken)
    expect(searchParams.get('X-Amz-Signature')).toBe(await signedByTheSdk('prod', sessionToken))
  })

  it('is a URL of the regional STS that EKS takes: 60 s, with the signed name of the cluster', () => {
    const stsHost = 'sts.cn-north-1.amazonaws.com.cn'
    const { token } = createEksToken({
      ...{ clusterName: 'prod', region: 'cn-north-1', stsHost, credentials, now: NOW },
    })
    const url = urlOf(token)
    expect(url.origin).toBe('https://sts.cn-north-1.amazonaws.com.cn')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      'X-Amz-Date': '20261121T123005Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    })
    expect(token.length).toBeLessThan(4096)
  })

  it('is renewed before the 15 minutes for which EKS takes it, and with the credentials', () => {
    const expiresAt = (expiration?: Date) =>
      createEksToken({
        clusterName: 'prod',
        region: 'eu-west-1',
        stsHost: 'sts.eu-west-1.amazonaws.com',
        credentials: { ...credentials, ...(expiration && { expiration }) },
        now: NOW,
      }).expiresAt
    expect(expiresAt()).toBe(NOW + 14 * 60_000)
    expect(expiresAt(new Date(NOW + 5_000))).toBe(NOW + 5_000)
  })
})
