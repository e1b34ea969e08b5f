import { Match } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { VARIABLES } from '../../functions/environment/index.ts'
import { EKS, emptyBundles, resourcesOf, statementsOf, templateOf } from './template.fixtures.ts'

const bundles = emptyBundles()

describe('a deployment that records nothing', () => {
  it('has no bucket', () => {
    const template = templateOf({ bundles, clusters: [EKS] })
    template.resourceCountIs('AWS::S3::Bucket', 0)
    expect(JSON.stringify(template.toJSON())).not.toContain(VARIABLES.recordings)
  })
})

describe('a deployment that records', () => {
  let template: ReturnType<typeof templateOf>
  let bucket: string

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS], settings: { recording: 0.1, recordingRetention: 7 } })
    bucket = resourcesOf(template, 'AWS::S3::Bucket')[0]?.[0] ?? ''
  })

  it('keeps recordings private and encrypted for the time that is set, and when it is taken down', () => {
    template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: {
        LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 7, Status: 'Enabled' })] },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: Match.anyValue(),
      },
    })
  })

  it('lets the function and the relay store recordings, and do nothing else with the bucket', () => {
    const ofBucket = (part: string) =>
      statementsOf(template, part)
        .filter(({ Action }) => JSON.stringify(Action).includes('s3:'))
        .map(({ Action, Resource }) => ({ Action, Resource }))
    const Resource = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [bucket, 'Arn'] }, '/recordings/*']] }
    const store = { Action: 's3:PutObject', Resource }
    expect([ofBucket('SliceflowReconcile'), ofBucket('SliceflowRelay')]).toEqual([[store], [store]])
    expect(ofBucket('')).toHaveLength(2)
  })

  it('tells both the bucket and the share', () => {
    const named = { [VARIABLES.recordings]: { Ref: bucket }, SLICEFLOW_RECORDING: '0.1' }
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike(named) },
    })
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({
          Environment: Match.arrayWith([{ Name: VARIABLES.recordings, Value: { Ref: bucket } }]),
        }),
      ],
    })
  })
})
