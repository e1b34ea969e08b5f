import { Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { Sliceflow, type SliceflowProps } from './constructs/index.ts'

/** A stack with one Sliceflow and nothing else. */
export class SliceflowStack extends Stack {
  readonly sliceflow: Sliceflow

  constructor(
    scope: Construct,
    id: string,
    { sliceflow, ...props }: StackProps & { readonly sliceflow: SliceflowProps },
  ) {
    super(scope, id, { description: 'Sliceflow: reconciles EndpointSlices of Kubernetes clusters', ...props })
    this.sliceflow = new Sliceflow(this, 'Sliceflow', sliceflow)
  }
}
