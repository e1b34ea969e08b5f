import { Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

/**
 * Creates a topic that takes TLS only, and that CloudWatch’s alarms of this account may publish to. A policy
 * of our own takes the place of SNS’ default one, which lets alarms publish.
 */
export function createAlertTopic(scope: Construct, id: string, masterKey?: IKey): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true, ...(masterKey && { masterKey }) })
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  )
  return topic
}
