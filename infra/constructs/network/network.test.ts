import { App, Stack } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2'
import { describe, expect, it } from 'vitest'
import { DeploymentError } from '../../settings/index.ts'
import {
  ELSEWHERE,
  emptyBundles,
  type Resource,
  resourcesOf,
  SEARCH,
  SECRET,
  stackIn,
  stackOf,
  testApp,
} from '../template.fixtures.ts'

const SUBNETS = ['subnet-0aaaaaaaaaaaaaaaa', 'subnet-0bbbbbbbbbbbbbbbb']
const VPC = { vpcId: 'vpc-0123456789abcdef0', subnetIds: SUBNETS.join(), region: 'eu-west-1' }
const ENDPOINTS = {
  ...VPC,
  vpcCidr: '10.1.0.0/16',
  routeTableIds: 'rtb-0aaaaaaaaaaaaaaaa,rtb-0bbbbbbbbbbbbbbbb',
}
const GROUP = 'sg-0123456789abcdef0'

describe('a network that is there', () => {
  const bundles = emptyBundles()

  const templateIn = (context: Readonly<Record<string, unknown>>): Template =>
    Template.fromStack(stackIn(bundles, context))
  const networksOf = (template: Template, type: string, property: string): unknown[] =>
    resourcesOf(template, type).map(([, { Properties }]) => Properties[property])

  it('takes the relay, without a VPC that is made, a look-up or a warning', () => {
    const stack = stackIn(bundles, VPC)
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::EC2::VPC', 0)
    template.hasResourceProperties('AWS::EC2::SecurityGroup', { VpcId: VPC.vpcId })
    expect(networksOf(template, 'AWS::ECS::Service', 'NetworkConfiguration')).toEqual([
      { AwsvpcConfiguration: expect.objectContaining({ AssignPublicIp: 'DISABLED', Subnets: SUBNETS }) },
    ])
    Annotations.fromStack(stack).hasNoWarning('*', Match.anyValue())
    expect((stack.node.root as App).synth().manifest.missing).toBeUndefined()
  })

  it('needs no look-up in a named account either, for which the template is made', () => {
    const { root } = stackIn(bundles, { account: '123456789012' }).node
    const { artifacts, missing } = (root as App).synth().manifest
    expect(artifacts?.Sliceflow?.environment).toBe('aws://123456789012/eu-west-1')
    expect(missing).toBeUndefined()
  })

  it('is given by one flag for private endpoints, as it would be by four', () => {
    const short = templateIn({ privateAccess: [VPC.vpcId, ...SUBNETS, GROUP].join() })
    const long = templateIn({ ...VPC, functionsInVpc: 'true', clusterSecurityGroupIds: GROUP })
    expect(short.toJSON()).toEqual(long.toJSON())
    short.resourceCountIs('AWS::EC2::SecurityGroupIngress', 2)
  })

  it.each([
    ['no VPC', SUBNETS.join(), /^context privateAccess: needs one VPC and its private subnets, such as vpc-/],
    ['no subnets', VPC.vpcId, /^context privateAccess: needs one VPC and its private subnets/],
    ['two VPCs', `${VPC.vpcId},${VPC.vpcId},${VPC.subnetIds}`, /^context privateAccess: needs one VPC/],
    [
      'something else',
      `${VPC.vpcId},rtb-0aaaaaaaaaaaaaaaa`,
      /^context privateAccess: "rtb-0aaaaaaaaaaaaaaaa" is not/,
    ],
  ])('is refused by that flag with %s', (_, privateAccess, problem) => {
    expect(() => stackIn(bundles, { privateAccess })).toThrow(problem)
  })

  it('is refused by that flag beside the others', () => {
    const privateAccess = [VPC.vpcId, ...SUBNETS].join()
    expect(() => stackIn(bundles, { privateAccess, subnetIds: VPC.subnetIds })).toThrow(
      'context subnetIds: privateAccess says it already; leave out one of them',
    )
    expect(() => stackIn(bundles, { privateAccess, assignPublicIp: 'true' })).toThrow(
      'context assignPublicIp: ',
    )
  })

  it('gives the relay an address in public subnets', () => {
    expect(
      networksOf(templateIn({ ...VPC, assignPublicIp: 'true' }), 'AWS::ECS::Service', 'NetworkConfiguration'),
    ).toEqual([
      { AwsvpcConfiguration: expect.objectContaining({ AssignPublicIp: 'ENABLED', Subnets: SUBNETS }) },
    ])
  })

  it('has the files of the relays in the same subnets', () => {
    const template = templateIn({ ...VPC, keepState: 'true' })
    expect(networksOf(template, 'AWS::EFS::MountTarget', 'SubnetId')).toEqual(SUBNETS)
  })

  it('takes the functions, each in the same subnets, with one group that lets nothing in', () => {
    const template = templateIn({ ...VPC, functionsInVpc: 'true' })
    const configured = networksOf(template, 'AWS::Lambda::Function', 'VpcConfig')
    expect(configured.length).toBeGreaterThan(1)
    const [first] = configured
    for (const one of configured) expect(one).toEqual(first)
    expect(first).toMatchObject({ SubnetIds: SUBNETS })
    template.resourceCountIs('AWS::EC2::SecurityGroup', 2)
    template.allResourcesProperties('AWS::EC2::SecurityGroup', { SecurityGroupIngress: Match.absent() })
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0)
  })

  it('gives relay and functions the groups that are named, and makes none', () => {
    const template = templateIn({ ...VPC, functionsInVpc: 'true', securityGroupIds: GROUP })
    template.resourceCountIs('AWS::EC2::SecurityGroup', 0)
    template.allResourcesProperties('AWS::Lambda::Function', {
      VpcConfig: Match.objectLike({ SecurityGroupIds: [GROUP] }),
    })
    template.hasResourceProperties('AWS::ECS::Service', {
      NetworkConfiguration: { AwsvpcConfiguration: Match.objectLike({ SecurityGroups: [GROUP] }) },
    })
  })

  it.each([
    ['relay and functions', { functionsInVpc: 'true' }, 2],
    ['the relay where functions are elsewhere', {}, 1],
    ['one group where it is named', { functionsInVpc: 'true', securityGroupIds: 'sg-0aaaaaaaaaaaaaaaa' }, 1],
  ])('opens the port of the API in the groups of clusters for %s', (_, more, count) => {
    const template = templateIn({ ...VPC, clusterSecurityGroupIds: GROUP, ...more })
    const opened = resourcesOf(template, 'AWS::EC2::SecurityGroupIngress').map(
      ([, { Properties }]) => Properties,
    )
    expect(opened).toHaveLength(count)
    for (const one of opened)
      expect(one).toMatchObject({
        GroupId: GROUP,
        IpProtocol: 'tcp',
        FromPort: 443,
        ToPort: 443,
        SourceSecurityGroupId: expect.anything(),
      })
  })

  const servicesOf = (template: Template): string[] =>
    resourcesOf(template, 'AWS::EC2::VPCEndpoint').map(([, { Properties }]) => {
      const { ServiceName: name } = Properties as { ServiceName: string | { 'Fn::Join': [string, string[]] } }
      return (typeof name === 'string' ? name : (name['Fn::Join'][1].at(-1) ?? '')).replace(
        /^.*eu-west-1\.|^\./,
        '',
      )
    })

  it.each([
    ['an EKS cluster', {}, ['ecr.api', 'ecr.dkr', 'eks', 'logs', 's3', 'sqs']],
    [
      'clusters that a tag finds',
      { clusters: [SEARCH] },
      ['ecr.api', 'ecr.dkr', 'eks', 'logs', 's3', 'sqs', 'tagging'],
    ],
    [
      'a cluster by a secret, and one of another account',
      { clusters: [SECRET, { ...ELSEWHERE, region: 'eu-west-1' }] },
      ['ecr.api', 'ecr.dkr', 'eks', 'logs', 's3', 'secretsmanager', 'sqs', 'sts'],
    ],
  ])('gets all endpoints that a deployment with %s needs', (_, more, services) => {
    const template = templateIn({ ...ENDPOINTS, vpcEndpoints: 'all', ...more })
    expect(servicesOf(template).toSorted()).toEqual(services)
  })

  it('gets those endpoints alone that are named, open to the VPC and to nobody else', () => {
    const template = templateIn({ ...VPC, vpcCidr: '10.1.0.0/16', vpcEndpoints: 'sqs,eks' })
    expect(servicesOf(template)).toEqual(['sqs', 'eks'])
    template.allResourcesProperties('AWS::EC2::VPCEndpoint', {
      PrivateDnsEnabled: true,
      SubnetIds: SUBNETS,
      SecurityGroupIds: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('Endpoints'), 'GroupId'] }],
    })
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupIngress: [Match.objectLike({ CidrIp: '10.1.0.0/16', FromPort: 443, ToPort: 443 })],
    })
  })

  it('is a construct’s, too: VPC, subnets and groups of the app', () => {
    const app = testApp(bundles)
    const theirs = new Stack(app, 'Theirs', { env: { region: 'eu-west-1' } })
    const vpc = new Vpc(theirs, 'Vpc', { maxAzs: 2, natGateways: 1 })
    const cluster = new SecurityGroup(theirs, 'Cluster', { vpc })
    const stack = stackOf(
      { bundles, vpc, functionsInVpc: true, clusterSecurityGroups: [cluster], vpcEndpoints: 'all' },
      app,
    )
    const template = Template.fromStack(stack)
    template.resourceCountIs('AWS::EC2::VPC', 0)
    template.resourceCountIs('AWS::EC2::VPCEndpoint', 6)
    template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', { FromPort: 443 })
  })

  it('keeps the rules of clusters that stay: CloudFormation makes new ones first, and EC2 refuses doubles', () => {
    const [first, second] = ['sg-0aaaaaaaaaaaaaaaa', 'sg-0bbbbbbbbbbbbbbbb']
    const rulesIn = (clusterSecurityGroupIds: string, more = {}): [string, Resource][] => {
      const template = templateIn({ ...VPC, clusterSecurityGroupIds, ...more })
      return resourcesOf(template, 'AWS::EC2::SecurityGroupIngress')
    }
    expect(rulesIn(`${first},${second}`)).toEqual(expect.arrayContaining(rulesIn(`${second}`)))
    expect(rulesIn(first, { functionsInVpc: 'true' })).toEqual(expect.arrayContaining(rulesIn(first)))
  })

  it('has other files of the relay’s state in other subnets: a zone has one of the same files at a time', () => {
    const filesIn = (...subnets: string[]): string[] => {
      const template = templateIn({ ...VPC, subnetIds: subnets.join(), keepState: 'true' })
      return resourcesOf(template, 'AWS::EFS::FileSystem').map(([id]) => id)
    }
    expect(filesIn(...SUBNETS)).toHaveLength(1)
    expect(filesIn('subnet-0cccccccccccccccc', SUBNETS[1] ?? '')).not.toEqual(filesIn(...SUBNETS))
  })

  it.each([
    [{ vpcId: 'main' }, 'context vpcId: "main" is not the id of a VPC, such as vpc-0123456789abcdef0'],
    [
      { vpcId: VPC.vpcId },
      'context vpcId: Sliceflow looks nothing up in AWS; give subnetIds as well, one for each zone, separated by commas',
    ],
    [{ subnetIds: VPC.subnetIds }, 'context subnetIds: needs the VPC that it belongs to; give vpcId as well'],
    [
      { ...VPC, subnetIds: 'a,b' },
      'context subnetIds: "a" is not the id of a subnet, such as subnet-0123456789abcdef0; separate several by commas',
    ],
    [
      { ...VPC, natGateways: '1' },
      'natGateways: applies to the VPC that is created; the given vpc has its own or none',
    ],
    [
      { ...VPC, assignPublicIp: 'true', functionsInVpc: 'true' },
      'context functionsInVpc: functions get no address in public subnets, and reach nothing from there; give subnetIds of private subnets, and leave assignPublicIp out',
    ],
    [
      { securityGroupIds: GROUP },
      'securityGroups: needs the vpc that they belong to; give the vpc as well (vpcId in the context)',
    ],
    [
      { clusterSecurityGroupIds: GROUP },
      'clusterSecurityGroups: works only from the vpc of the clusters, or from one that is connected to it; give the vpc as well (vpcId in the context)',
    ],
    [
      { vpcEndpoints: 'all' },
      'vpcEndpoints: are for a vpc whose subnets have no route out; the vpc that is created has one; give the vpc as well (vpcId in the context)',
    ],
    [
      { ...ENDPOINTS, vpcEndpoints: 'sqs,ec2' },
      'vpcEndpoints: ec2 is not needed or not known; give all, or some of sqs, logs, ecr, s3, eks, tagging, sts, secretsmanager, dynamodb, events, servicediscovery',
    ],
    [
      { ...VPC, vpcEndpoints: 'sqs' },
      'context vpcEndpoints: everything in the VPC may use them, by its address range; give vpcCidr as well',
    ],
    [
      { ...VPC, vpcCidr: '10.1.0.0/16', vpcEndpoints: 'all' },
      'context vpcEndpoints: those of s3 and dynamodb need route tables; give routeTableIds as well, one for each of subnetIds',
    ],
    [
      { ...ENDPOINTS, routeTableIds: 'rtb-0aaaaaaaaaaaaaaaa' },
      'context routeTableIds: 1 for 2 subnetIds; give one for each, in their order',
    ],
  ])('is refused where it cannot be: %j', (context, problem) => {
    expect(() => stackIn(bundles, context)).toThrow(new DeploymentError(problem))
  })

  it('is refused where endpoints must know the addresses of a VPC that does not', () => {
    const app = new App()
    const vpc = Vpc.fromVpcAttributes(new Stack(app, 'Theirs'), 'Vpc', {
      vpcId: VPC.vpcId,
      availabilityZones: ['a'],
      privateSubnetIds: SUBNETS.slice(0, 1),
    })
    expect(() => stackOf({ bundles, vpc, vpcEndpoints: ['sqs'] }, app)).toThrow(
      'vpcEndpoints: everything in the vpc may use them, by its addresses; give vpcCidrBlock with the attributes of the vpc (vpcCidr in the context)',
    )
  })
})

describe('a fixed egress', () => {
  const bundles = emptyBundles()
  const of = (type: string, template: Template) => resourcesOf(template, type)

  it.each([
    [undefined, 1],
    [2, 2],
  ])(
    'has relay and functions come from the addresses of %s gateways, which an output names',
    (natGateways, count) => {
      const stack = stackOf({
        bundles,
        fixedEgress: true,
        canary: true,
        ...(natGateways !== undefined && { natGateways }),
      })
      const template = Template.fromStack(stack)
      const addresses = of('AWS::EC2::EIP', template).map(([id]) => id)
      expect(addresses).toHaveLength(count)
      const gateways = of('AWS::EC2::NatGateway', template).map(
        ([, { Properties }]) => Properties.AllocationId,
      )
      expect(gateways).toEqual(addresses.map((id) => ({ 'Fn::GetAtt': [id, 'AllocationId'] })))
      const output = JSON.stringify(template.findOutputs('*').SliceflowPublicAccessCidrs)
      for (const id of addresses) expect(output).toContain(`{"Fn::GetAtt":["${id}","PublicIp"]},"/32`)

      const ways = of('AWS::EC2::Route', template).filter(
        ([, { Properties }]) => Properties.NatGatewayId !== undefined,
      )
      const tables = ways.map(([, { Properties }]) => JSON.stringify(Properties.RouteTableId))
      const inside = of('AWS::EC2::SubnetRouteTableAssociation', template)
        .filter(([, { Properties }]) => tables.includes(JSON.stringify(Properties.RouteTableId)))
        .map(([, { Properties }]) => Properties.SubnetId)
      expect(inside).toHaveLength(2)
      template.allResourcesProperties('AWS::Lambda::Function', {
        VpcConfig: Match.objectLike({ SubnetIds: inside }),
      })
      template.allResourcesProperties('AWS::ECS::Service', {
        NetworkConfiguration: {
          AwsvpcConfiguration: Match.objectLike({ AssignPublicIp: 'DISABLED', Subnets: inside }),
        },
      })
      template.resourceCountIs('AWS::EC2::VPC', 1)
      template.allResourcesProperties('AWS::EC2::SecurityGroup', { SecurityGroupIngress: Match.absent() })
    },
  )

  it('is a flag of the command, too', () => {
    const template = Template.fromStack(stackIn(bundles, { fixedEgress: 'true' }))
    template.resourceCountIs('AWS::EC2::NatGateway', 1)
  })

  it('is refused where it could not be', () => {
    const vpc = Vpc.fromVpcAttributes(new Stack(), 'Vpc', { vpcId: 'vpc-1', availabilityZones: ['a'] })
    expect(() => stackOf({ bundles, fixedEgress: true, vpc })).toThrow(
      'fixedEgress: is for the VPC that is created; a given vpc has routes of its own: leave out one of them',
    )
    expect(() => stackOf({ bundles, fixedEgress: true, natGateways: 0 })).toThrow(
      'fixedEgress: needs a NAT gateway',
    )
  })
})
