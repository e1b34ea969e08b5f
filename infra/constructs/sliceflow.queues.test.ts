import { Match, type Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../functions/environment/index.ts'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  type Resource,
  resourcesOf,
  SECRET,
  templateOf,
} from './template.fixtures.ts'

describe('the lanes of a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE] })
  })
  const of = (type: string): [string, Resource][] => resourcesOf(template, type)

  describe('has queues', () => {
    it('with dead letters for each that is not such itself', () => {
      const queues = of('AWS::SQS::Queue')
      const withLetters = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined)
      const targets = withLetters.map(
        ([, { Properties }]) =>
          (Properties.RedrivePolicy as { deadLetterTargetArn: { 'Fn::GetAtt': [string] } })
            .deadLetterTargetArn['Fn::GetAtt'][0],
      )
      expect(withLetters).toHaveLength(2)
      expect(queues.map(([id]) => id).toSorted()).toEqual(
        [...withLetters.map(([id]) => id), ...targets].toSorted(),
      )
      for (const target of targets)
        expect(queues.find(([id]) => id === target)?.[1].Properties.MessageRetentionPeriod).toBe(14 * 86_400)
    })

    it('whose dead letters take messages of their own queue only', () => {
      const queues = of('AWS::SQS::Queue')
      for (const [id, { Properties }] of queues.filter(([, one]) => one.Properties.RedrivePolicy)) {
        const { deadLetterTargetArn } = Properties.RedrivePolicy as {
          deadLetterTargetArn: { 'Fn::GetAtt': [string] }
        }
        const letters = queues.find(([other]) => other === deadLetterTargetArn['Fn::GetAtt'][0])?.[1]
        const { redrivePermission, sourceQueueArns } = (letters?.Properties.RedriveAllowPolicy ?? {}) as {
          redrivePermission?: string
          sourceQueueArns?: unknown[]
        }
        expect([id, redrivePermission, sourceQueueArns?.length]).toEqual([id, 'byQueue', 1])
        expect(JSON.stringify(sourceQueueArns?.[0])).toContain(`:${Properties.QueueName}"`)
      }
    })

    it.each([undefined, 7])(
      'that give a message up after as many receives as the function believes: %s',
      (count) => {
        const settings = count === undefined ? {} : { maxReceiveCount: count }
        const given = templateOf({ bundles, clusters: [EKS], settings })
        const [believed, ...others] = resourcesOf(given, 'AWS::Lambda::Function').map(
          ([, { Properties }]) => {
            const { Variables } = Properties.Environment as { Variables: Record<string, string> }
            return readSettings(Variables, { warn: () => undefined }).maxReceiveCount
          },
        )
        const policies = resourcesOf(given, 'AWS::SQS::Queue').flatMap(
          ([, { Properties }]) => (Properties.RedrivePolicy as { maxReceiveCount: number } | undefined) ?? [],
        )
        expect([...others, ...policies.map(({ maxReceiveCount }) => maxReceiveCount)]).toEqual([
          believed,
          believed,
          believed,
        ])
        expect(believed).toBe(count ?? 12)
      },
    )

    it('that keep messages invisible for 6 × the time limit + window + 20 s', () => {
      const visibilities = of('AWS::SQS::Queue').flatMap(
        ([, { Properties }]) => Properties.VisibilityTimeout ?? [],
      )
      expect(visibilities).toEqual([6 * 60 + 0 + 20, 6 * 60 + 20 + 20])
    })

    it('that are encrypted and take TLS only', () => {
      for (const [, { Properties }] of of('AWS::SQS::Queue'))
        expect(Properties.SqsManagedSseEnabled).toBe(true)
      expect(of('AWS::SQS::QueuePolicy')).toHaveLength(4)
      template.allResourcesProperties('AWS::SQS::QueuePolicy', {
        PolicyDocument: Match.objectLike({
          Statement: Match.arrayWith([
            Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          ]),
        }),
      })
    })

    it('that are standard ones: FIFO deduplication would drop changes', () => {
      template.allResourcesProperties('AWS::SQS::Queue', { FifoQueue: Match.absent() })
    })
  })

  describe('has event source mappings', () => {
    it('that report failed messages one by one', () => {
      expect(of('AWS::Lambda::EventSourceMapping')).toHaveLength(2)
      template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      })
    })

    it('with a batch, a window and a concurrency of each lane', () => {
      const mappings = of('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => [
        Properties.BatchSize,
        Properties.MaximumBatchingWindowInSeconds,
        Properties.ScalingConfig,
      ])
      expect(mappings).toEqual([
        [10, undefined, { MaximumConcurrency: 5 }],
        [100, 20, { MaximumConcurrency: 2 }],
      ])
    })
  })
})
