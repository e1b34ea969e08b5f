import { describe, expect, it } from 'vitest'
import { createFakeAws } from '../shared/clusters/fake-aws.fixtures.ts'
import { createClusterDirectory } from '../shared/clusters/index.ts'
import { createLogger } from '../shared/telemetry/index.ts'
import { emptyBundles, testApp } from './constructs/template.fixtures.ts'
import { readContext } from './context.ts'
import { contextOf } from './flags.ts'
import { SliceflowStack } from './stack.ts'

const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' }
const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'

/**
 * Messages for a person who deploys with something wrong, or whose functions run so: what, where, and what to
 * do.
 */
describe('a wrong configuration is reported in one line:', () => {
  const bundles = emptyBundles()

  const synth = (context: Readonly<Record<string, unknown>>): string =>
    messageOf(() => {
      const { stackName, region: _, ...props } = readContext({ clusters: JSON.stringify([EKS]), ...context })
      new SliceflowStack(testApp(bundles), stackName, { sliceflow: { ...props, bundles } })
    })
  const clusters = (...list: object[]): string => synth({ clusters: JSON.stringify(list) })

  it.each<[string, () => string, RegExp]>([
    [
      'a batch of 10,000 without a window',
      () => synth({ batchSize: '10000' }),
      /^batchSize: above 10 needs a batch window of at least 1 s/,
    ],
    [
      'the in-tree controller’s slices for custom mode',
      () => synth({ managedBy: 'endpointslice-controller.k8s.io' }),
      /^managedBy: endpointslice-controller.k8s.io is the in-tree controller’s.*set mode to replace/,
    ],
    ['a concurrency of 1', () => synth({ maximumConcurrency: '1' }), /^maximumConcurrency: .*2/],
    [
      'a visibility that is too short',
      () => synth({ visibilityTimeout: '60' }),
      /^visibilityTimeout: 60 s is below 400 s \(6 × functionTimeout/,
    ],
    [
      'the name of a cluster that cannot be one',
      () => clusters({ ...EKS, clusterName: 'not a name' }),
      /^cluster "eu-1": clusterName must be the name of an EKS cluster/,
    ],
    ['a cluster twice', () => clusters(EKS, EKS), /^cluster "eu-1": the name is given twice/],
    [
      'a kubeconfig with an exec plugin',
      () => clusters({ name: 'a', users: [{ user: { exec: {} } }] }),
      /^cluster "a": kind: .* a kubeconfig is only for `sliceflow run`: functions run no exec plugins/,
    ],
    [
      'a key of the context that is not known',
      () => synth({ maximumConcurency: '20' }),
      /^context maximumConcurency: is not known.*infra\/README.md lists every key/,
    ],
    [
      'a region that is missing',
      () => messageOf(() => contextOf({ cluster: ['eu-1'], stack: 'S', set: [], context: [] }, {})),
      /^--cluster eu-1: in which region\? Give --region, or set AWS_REGION/,
    ],
  ])('%s', (_, told, line) => {
    expect(told()).toMatch(line)
    expect(told()).not.toContain('\n')
  })

  it.each([
    [
      'a secret without a CA',
      { server: 'https://10.0.0.1', token: 't' },
      /ca must be given: the certificate authority/,
    ],
    [
      'an http URL of a server',
      { server: 'http://10.0.0.1', ca: '-----BEGIN CERTIFICATE-----', token: 't' },
      /server must be an https URL: tokens are sent over TLS only/,
    ],
  ])('%s', async (_, secret, line) => {
    const aws = createFakeAws()
    aws.secrets.set(SECRET_ARN, JSON.stringify(secret))
    const logger = createLogger({ write: () => {} })
    const config = { name: 'edge', kind: 'secret', secretArn: SECRET_ARN } as const
    const [edge] = await createClusterDirectory({ clusters: [config], aws, logger }).connections()
    const error = await edge?.credentials().catch((reason: unknown) => reason)
    const told = error instanceof Error ? error.message : 'nothing was wrong'
    expect(told).toMatch(/^cluster "edge": secret arn:/)
    expect(told).toMatch(line)
    expect(told).not.toContain('\n')
  })
})

function messageOf(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was wrong'
}
