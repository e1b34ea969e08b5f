import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/**
 * States why a rule of cdk-nag does not apply to a construct. Each finding on its own: nothing that comes
 * later is let through with it.
 */
export function accept(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) Validations.of(construct).acknowledge({ id, reason })
}
