import { type ArnComponents, Stack, Token, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** States why a rule of cdk-nag does not apply to a construct: each finding alone, not all of the rule. */
export function accept(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) Validations.of(construct).acknowledge({ id, reason })
}

/** Returns a finding about an ARN of this account, as cdk-nag writes it if CDK resolves parts later. */
export function arnFinding(
  scope: IConstruct,
  { service, resource, resourceName = '', region }: ArnComponents,
): string {
  const stack = Stack.of(scope)
  const shown = (value: string, name: string): string =>
    Token.isUnresolved(value) ? `<AWS::${name}>` : value
  const partition = shown(stack.partition, 'Partition')
  const place = `${shown(region ?? stack.region, 'Region')}:${shown(stack.account, 'AccountId')}`
  return `AwsSolutions-IAM5[Resource::arn:${partition}:${service}:${place}:${resource}/${resourceName}]`
}
