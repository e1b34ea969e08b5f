import { type Aws, accountOfRole, type EksDescription, type TaggedCluster } from './index.ts'

/** A cluster of the fake: what EKS says of it, and its tags. */
export interface FakeCluster extends EksDescription {
  readonly tags: Readonly<Record<string, string>>
}

/** An AWS that answers as a test says, and counts what it is asked. */
export interface FakeAws extends Aws {
  readonly asked: string[]
  /** Clusters of every region and account, by their names in EKS. */
  readonly clusters: Map<string, FakeCluster>
  readonly secrets: Map<string, string>
  /** Makes every request fail with this error from now on, or work again. */
  fail(error: Error | undefined): void
}

/** The account of the function itself; that of a role is in its ARN. */
export const OWN_ACCOUNT = '123456789012'

/** Returns the name under which a cluster of our own account in eu-west-1 is found. */
export const foundName = (clusterName: string): string => `${clusterName}-eu-west-1-${OWN_ACCOUNT}`

export function createFakeAws(): FakeAws {
  const asked: string[] = []
  const clusters = new Map<string, FakeCluster>()
  const secrets = new Map<string, string>()
  let failure: Error | undefined
  function ask<T>(what: string, answer: T | undefined): T {
    asked.push(what)
    if (failure !== undefined) throw failure
    if (answer === undefined) throw new Error(`there is no ${what}`)
    return answer
  }
  return {
    asked,
    clusters,
    secrets,
    fail: (error) => {
      failure = error
    },
    credentials: async ({ roleArn }) =>
      ask('credentials', { accessKeyId: roleArn ?? 'own', secretAccessKey: 'never to be logged' }),
    describeCluster: async (name) => ask(`cluster ${name}`, clusters.get(name)),
    taggedClusters: async ({ tagKey, tagValue }, { region, roleArn }) => {
      const account = accountOfRole(roleArn) ?? OWN_ACCOUNT
      const found = [...clusters].flatMap(([clusterName, { tags }]): TaggedCluster[] => {
        const value = tags[tagKey]
        if (value === undefined || (tagValue !== undefined && value !== tagValue)) return []
        const arn = `arn:aws:eks:${region}:${account}:cluster/${clusterName}`
        return [{ arn, region, account, clusterName, tags }]
      })
      return ask('clusters', found)
    },
    stsHost: async (region) => `sts.${region}.amazonaws.com`,
    secretText: async (arn) => ask(`secret ${arn}`, secrets.get(arn)),
  }
}

export const description = (tags: Record<string, string> = {}): FakeCluster => ({
  endpoint: new URL('https://abc.eks.amazonaws.com'),
  ca: '-----BEGIN CERTIFICATE-----',
  tags,
})
