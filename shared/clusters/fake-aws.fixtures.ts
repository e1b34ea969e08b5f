import type { Aws, EksDescription } from './index.ts'

/** An AWS that answers as a test says, and counts what it is asked. */
export interface FakeAws extends Aws {
  readonly asked: string[]
  readonly clusters: Map<string, EksDescription>
  readonly secrets: Map<string, string>
  /** Makes every request fail with this error from now on, or work again. */
  fail(error: Error | undefined): void
}

export function createFakeAws(): FakeAws {
  const asked: string[] = []
  const clusters = new Map<string, EksDescription>()
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
    listClusters: async () => ask('clusters', [...clusters.keys()]),
    stsHost: async (region) => `sts.${region}.amazonaws.com`,
    secretText: async (arn) => ask(`secret ${arn}`, secrets.get(arn)),
  }
}

export const description = (tags: Record<string, string> = {}): EksDescription => ({
  endpoint: new URL('https://abc.eks.amazonaws.com'),
  ca: '-----BEGIN CERTIFICATE-----',
  tags,
})
