import { Annotations, Aws, CfnCondition, Fn, Stack, Token } from 'aws-cdk-lib'
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks'
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import {
  accountOfRole,
  type ClusterConfig,
  type DiscoveryConfig,
  type EksClusterConfig,
  type SecretClusterConfig,
} from '../../../shared/clusters/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import { outputId, roleOutput } from '../output-names.ts'
import { type AccessEntryOptions, accessEntryCommands, foundEntryCommands } from './access-entry-commands.ts'
import { acceptSearches, describeClusters, findClusters } from './cluster-permissions.ts'

/** Parts of a deployment that reach clusters. */
export type ClusterUser = 'reconcile' | 'audit' | 'relay' | 'viewPublisher' | 'canary'

/** The Kubernetes groups that infra/rbac/cluster-role.yaml binds to the ClusterRoles of each part. */
const GROUPS: Readonly<Record<ClusterUser, string>> = {
  reconcile: 'sliceflow',
  audit: 'sliceflow-relay',
  relay: 'sliceflow-relay',
  viewPublisher: 'sliceflow-view-publisher',
  canary: 'sliceflow-canary',
}
/** Group of infra/rbac/read-only.yaml: a function that only compares cannot write, whatever else is bound. */
const READ_ONLY_GROUP = 'sliceflow-read-only'

/**
 * Returns the Kubernetes group of a part of a deployment.
 * @example
 * ```ts
 * kubernetesGroup('relay', { shadow: false }) // => 'sliceflow-relay'
 * ```
 */
export const kubernetesGroup = (user: ClusterUser, { shadow }: Pick<DeploymentSettings, 'shadow'>): string =>
  shadow ? READ_ONLY_GROUP : GROUPS[user]

interface ClusterAccessProps {
  readonly clusters: readonly ClusterConfig[]
  readonly roles: Readonly<Partial<Record<ClusterUser, Role>>>
  readonly settings: Pick<DeploymentSettings, 'shadow'>
  /**
   * Whether EKS clusters of this account and region get an access entry that puts each role into its
   * Kubernetes group; default true. False where access is managed elsewhere; the clusters' authentication
   * mode must then map the roles otherwise.
   */
  readonly accessEntries?: boolean | undefined
}

interface UserInGroup {
  readonly user: ClusterUser
  readonly role: Role
  readonly group: string
}

/** Grants functions and relay access to the clusters: in AWS, and in clusters where CloudFormation can. */
export class ClusterAccess extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { clusters, roles, settings, accessEntries = true }: ClusterAccessProps,
  ) {
    super(scope, id)
    const eks = clusters.filter((cluster) => cluster.kind === 'eks')
    const searches = clusters.filter((cluster) => cluster.kind === 'discover')
    for (const role of Object.values(roles)) {
      this.allowAws(role, eks, searches)
      this.allowSecrets(
        role,
        clusters.filter((cluster) => cluster.kind === 'secret'),
      )
      this.allowRoles(role, [...eks, ...searches])
    }
    if (!accessEntries) return
    const users = (Object.entries(roles) as [ClusterUser, Role][]).map(([user, role]) => ({
      user,
      role,
      group: kubernetesGroup(user, settings),
    }))
    for (const cluster of eks) this.letInOrWarn(cluster, users)
    for (const search of searches) this.warnOfFound(search, users)
  }

  /** Makes the access entries that CloudFormation can: those of its own account and region. */
  private letInOrWarn(cluster: EksClusterConfig, users: readonly UserInGroup[]): void {
    const { region: own } = Stack.of(this)
    const { region, roleArn } = cluster
    const cannot = 'this stack cannot make its access entries. Once it is deployed'
    if (roleArn !== undefined) this.warn(cluster, users, `is in another account, by ${roleArn}: ${cannot}`)
    else if (own === region) this.letIn(cluster, users)
    else if (!Token.isUnresolved(own)) this.warn(cluster, users, `is in ${region}: ${cannot}`)
    else {
      this.letIn(cluster, users, this.whereRegionIs(region))
      this.warn(
        cluster,
        users,
        `is in ${region}, and this stack names no region (env, or --region): it makes the access entries only if it is deployed there. Elsewhere`,
      )
    }
  }

  private letIn(
    { clusterName, region }: EksClusterConfig,
    users: readonly UserInGroup[],
    condition?: CfnCondition,
  ): void {
    for (const { user, role, group } of users) {
      // Not by our name of the cluster: with another one CloudFormation would make the entry again before it
      // deletes the old one, which EKS refuses. It has a name once in a region.
      const id = `${user}-${clusterName}`
      const entry = new CfnAccessEntry(this, this.node.tryFindChild(id) ? `${id}-${region}` : id, {
        clusterName,
        principalArn: role.roleArn,
        type: 'STANDARD',
        kubernetesGroups: [group],
      })
      if (condition !== undefined) entry.cfnOptions.condition = condition
    }
  }

  /** Returns the condition by which CloudFormation itself leaves out what it could not make elsewhere. */
  private whereRegionIs(region: string): CfnCondition {
    const id = `Where-${region}`
    const known = this.node.tryFindChild(id) as CfnCondition | undefined
    return known ?? new CfnCondition(this, id, { expression: Fn.conditionEquals(Aws.REGION, region) })
  }

  /** Reports at synth how each cluster grants access: a missing grant would show at the first change. */
  private warn(cluster: EksClusterConfig, users: readonly UserInGroup[], why: string): void {
    const commands = accessEntryCommands(cluster, this.entriesOf(users))
    Annotations.of(this).addWarningV2(
      `sliceflow:access-entry:${cluster.name}`,
      `cluster "${cluster.name}" ${why}, run:\n${commands.join('\n')}`,
    )
  }

  /** Found clusters are not known at synth, and more come later. */
  private warnOfFound(search: DiscoveryConfig, users: readonly UserInGroup[]): void {
    const { region, tagKey, roleArn } = search
    const account = accountOfRole(roleArn)
    const where = account === undefined ? region : `${region} of account ${account}`
    const how =
      account === undefined
        ? 'Once it is deployed'
        : `Let account ${account} deploy the construct AccountAccess, or, with its credentials`
    const commands = foundEntryCommands(search, this.entriesOf(users))
    Annotations.of(this).addWarningV2(
      `sliceflow:access-entries:${account ?? 'own'}:${region}:${tagKey}`,
      `clusters in ${where} are found by the tag ${tagKey}: this stack cannot make their access entries. ${how}, and again for clusters that come later, run:\n${commands.join('\n')}`,
    )
  }

  private entriesOf(users: readonly UserInGroup[]): AccessEntryOptions {
    const scope = this.node.scope ?? this
    return {
      stack: Stack.of(this),
      users: users.map(({ user, group }) => ({ output: outputId(scope, roleOutput(user)), group })),
    }
  }

  private allowAws(role: Role, eks: readonly EksClusterConfig[], searches: readonly DiscoveryConfig[]): void {
    const own = eks.filter(({ roleArn }) => roleArn === undefined)
    const found = searches.filter(({ roleArn }) => roleArn === undefined)
    const statements = [...describeClusters(this, own), ...findClusters(this, found)]
    for (const statement of statements) role.addToPolicy(statement)
    if (statements.length > 0) acceptSearches(role.node.findChild('DefaultPolicy'), found)
  }

  private allowSecrets(role: Role, clusters: readonly SecretClusterConfig[]): void {
    for (const { name, secretArn } of clusters)
      Secret.fromSecretCompleteArn(this, `${role.node.path}-${name}`, secretArn).grantRead(role)
  }

  private allowRoles(role: Role, clusters: readonly (EksClusterConfig | DiscoveryConfig)[]): void {
    const roles = new Set(clusters.flatMap(({ roleArn }) => roleArn ?? []))
    if (roles.size > 0)
      role.addToPolicy(new PolicyStatement({ actions: ['sts:AssumeRole'], resources: [...roles] }))
  }
}
