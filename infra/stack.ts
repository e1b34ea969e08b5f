import { Annotations, ArnFormat, Fn, Stack, Tags } from 'aws-cdk-lib'
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Repository } from 'aws-cdk-lib/aws-ecr'
import { ContainerImage, CpuArchitecture } from 'aws-cdk-lib/aws-ecs'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { type IManagedPolicy, ManagedPolicy } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { HttpNamespace, type INamespace } from 'aws-cdk-lib/aws-servicediscovery'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { type Bundles, Sliceflow, type ViewsProps } from './constructs/index.ts'
import type { Context, ViewsContext, VpcContext } from './context.ts'
import type { DeploymentSettingsProps } from './settings/index.ts'

const ZONES = 2

/** A stack with one Sliceflow and nothing else: the one that the context of the command describes. */
export class SliceflowStack extends Stack {
  readonly sliceflow: Sliceflow

  constructor(scope: Construct, { stackName, region, account, ...context }: Context, bundles: Bundles) {
    super(scope, stackName, {
      description: 'Sliceflow: reconciles EndpointSlices of Kubernetes clusters',
      env: { region, account },
    })
    const { settings, views, vpc, securityGroups, clusterSecurityGroups, ...others } = context
    const { encryptionKey, permissionsBoundary, tags = {}, relayImage, cpuArchitecture, ...more } = others
    const { topic, ...rest } = more
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value)
    this.sliceflow = new Sliceflow(this, 'Sliceflow', {
      ...rest,
      bundles,
      // As texts have them: `Sliceflow` checks each.
      settings: settings as DeploymentSettingsProps,
      views: views && this.viewsOf(views),
      encryptionKey: encryptionKey ? Key.fromKeyArn(this, 'EncryptionKey', encryptionKey) : undefined,
      permissionsBoundary: permissionsBoundary ? this.policyOf(permissionsBoundary) : undefined,
      topic: topic ? Topic.fromTopicArn(this, 'Topic', topic) : undefined,
      vpc: vpc && vpcOf(this, vpc),
      relayImage: relayImage ? imageOf(this, relayImage) : undefined,
      cpuArchitecture: cpuArchitecture ? CpuArchitecture.of(cpuArchitecture) : undefined,
      securityGroups: securityGroups && this.groupsOf('SecurityGroup', securityGroups),
      clusterSecurityGroups:
        clusterSecurityGroups && this.groupsOf('ClusterSecurityGroup', clusterSecurityGroups),
    })
  }

  /** Leaves zones to CloudFormation: where the account is known, CDK would look them up in it at synth. */
  override get availabilityZones(): string[] {
    return Array.from({ length: ZONES }, (_, index) => Fn.select(index, Fn.getAzs()))
  }

  private policyOf(nameOrArn: string): IManagedPolicy {
    return nameOrArn.startsWith('arn:')
      ? ManagedPolicy.fromManagedPolicyArn(this, 'PermissionsBoundary', nameOrArn)
      : ManagedPolicy.fromManagedPolicyName(this, 'PermissionsBoundary', nameOrArn)
  }

  private groupsOf(name: string, ids: readonly string[]): ISecurityGroup[] {
    return ids.map((id) => SecurityGroup.fromSecurityGroupId(this, `${name}-${id}`, id))
  }

  private viewsOf({ eventBus, cloudMapNamespace, ...views }: ViewsContext): ViewsProps {
    const busOf = eventBus?.startsWith('arn:')
      ? EventBus.fromEventBusArn.bind(EventBus)
      : EventBus.fromEventBusName.bind(EventBus)
    return {
      ...views,
      eventBus: eventBus === undefined ? undefined : busOf(this, 'EventBus', eventBus),
      cloudMapNamespace: cloudMapNamespace === undefined ? undefined : this.namespaceOf(cloudMapNamespace),
    }
  }

  /** Only the id is known, and only id and ARN are needed. */
  private namespaceOf(namespaceId: string): INamespace {
    const namespaceArn = this.formatArn({
      service: 'servicediscovery',
      resource: 'namespace',
      resourceName: namespaceId,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    })
    const attributes = { namespaceId, namespaceName: namespaceId, namespaceArn }
    return HttpNamespace.fromHttpNamespaceAttributes(this, 'Namespace', attributes)
  }
}

/** `ACCOUNT.dkr.ecr.REGION.SUFFIX/NAME[:TAG][@DIGEST]` */
const OF_ECR = /^(?<account>\d{12})\.dkr[.-]ecr(-fips)?\.(?<region>[a-z0-9-]+)\.[^/]+\/(?<repository>.+)$/

/**
 * Makes CDK's representation of an image. A pull from ECR needs a permission, which the task's own role gets;
 * another account's repository must let that account in, too.
 */
function imageOf(scope: Construct, image: string): ContainerImage {
  const { groups } = OF_ECR.exec(image) ?? {}
  if (groups === undefined) return ContainerImage.fromRegistry(image)
  const { account = '', region = '', repository: given = '' } = groups
  const [tagged = '', digest] = given.split('@')
  const [name = '', tag] = tagged.split(':')
  const repository = Repository.fromRepositoryAttributes(scope, 'RelayImage', {
    repositoryName: name,
    repositoryArn: `arn:${Stack.of(scope).partition}:ecr:${region}:${account}:repository/${name}`,
  })
  return ContainerImage.fromEcrRepository(repository, digest ?? tag)
}

/** Makes CDK's representation of a VPC from given attributes, without a lookup in AWS. */
function vpcOf(scope: Construct, given: VpcContext): IVpc {
  const { vpcId, vpcCidr, subnetIds, routeTableIds, assignPublicIp } = given
  const kind = assignPublicIp ? 'public' : 'private'
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    // Only that they differ counts: a subnet a zone is what the context asks for.
    availabilityZones: subnetIds.map((_, index) => `zone-${index}`),
    vpcCidrBlock: vpcCidr,
    [`${kind}SubnetIds`]: [...subnetIds],
    [`${kind}SubnetRouteTableIds`]: routeTableIds && [...routeTableIds],
  })
  // Where a route table is needed, the context asks for it.
  Annotations.of(vpc).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId')
  return vpc
}
