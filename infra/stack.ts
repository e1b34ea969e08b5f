import { ArnFormat, Stack, type StackProps } from 'aws-cdk-lib'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { HttpNamespace } from 'aws-cdk-lib/aws-servicediscovery'
import type { Construct } from 'constructs'
import { Sliceflow, type SliceflowProps, type ViewsProps } from './constructs/index.ts'
import type { ViewsContext } from './context.ts'

/** Of `Sliceflow`, with the sinks of views by their names. */
export type SliceflowStackProps = Omit<SliceflowProps, 'views'> & { readonly views?: ViewsContext }

/** A stack with one Sliceflow and nothing else. */
export class SliceflowStack extends Stack {
  readonly sliceflow: Sliceflow

  constructor(
    scope: Construct,
    id: string,
    { sliceflow, ...props }: StackProps & { readonly sliceflow: SliceflowStackProps },
  ) {
    super(scope, id, { description: 'Sliceflow: reconciles EndpointSlices of Kubernetes clusters', ...props })
    const { views, ...rest } = sliceflow
    this.sliceflow = new Sliceflow(this, 'Sliceflow', {
      ...rest,
      ...(views && { views: this.viewsOf(views) }),
    })
  }

  private viewsOf({ eventBus, cloudMapNamespace, ...views }: ViewsContext): ViewsProps {
    const busOf = eventBus?.startsWith('arn:')
      ? EventBus.fromEventBusArn.bind(EventBus)
      : EventBus.fromEventBusName.bind(EventBus)
    return {
      ...views,
      ...(eventBus !== undefined && { eventBus: busOf(this, 'EventBus', eventBus) }),
      ...(cloudMapNamespace !== undefined && {
        cloudMapNamespace: HttpNamespace.fromHttpNamespaceAttributes(this, 'Namespace', {
          namespaceId: cloudMapNamespace,
          // Only the id is known, and only id and ARN are needed.
          namespaceName: cloudMapNamespace,
          namespaceArn: this.formatArn({
            service: 'servicediscovery',
            resource: 'namespace',
            resourceName: cloudMapNamespace,
            arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
          }),
        }),
      }),
    }
  }
}
