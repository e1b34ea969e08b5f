import { CfnOutput, Stack } from 'aws-cdk-lib'
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks'
import { AccountPrincipal, type IRole, type PrincipalBase, Role } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { type ClusterTag, EKS_NAME_PATTERN } from '../../../shared/clusters/index.ts'
import { DeploymentError } from '../../settings/index.ts'
import { forEachFound } from './access-entry-commands.ts'
import { type ClusterUser, kubernetesGroup } from './cluster-access.ts'
import { acceptSearches, describeClusters, findClusters } from './cluster-permissions.ts'

export interface AccountAccessProps {
  /**
   * ARNs of the deployment's roles, which alone may assume the role of this account: those of its output
   * `RoleArns`, or a pattern such as `arn:aws:iam::111111111111:role/Sliceflow-*`.
   */
  readonly trusted: readonly string[]
  /** The `externalId` that the deployment's list has for this account; default: none. */
  readonly externalId?: string
  /** Clusters that the deployment may find by a tag; at least one of `tag` and `clusters` is needed. */
  readonly tag?: ClusterTag
  /** EKS names of clusters of this account and region: they get an access entry. */
  readonly clusters?: readonly string[]
  /** Parts that the deployment has; default: `reconcile`, `audit` and `relay`, which each one has. */
  readonly users?: readonly ClusterUser[]
  /** True where the deployment has the setting `shadow`: it may read, and write nothing. */
  readonly shadow?: boolean
  /** Name of the role, so that both accounts know it before it exists; default: CloudFormation names it. */
  readonly roleName?: string
  /** The role of an `AccountAccess` in another region of this account; default: it is created. */
  readonly role?: IRole
}

const USERS: readonly ClusterUser[] = ['reconcile', 'audit', 'relay']

/**
 * What an account gives to a deployment of Sliceflow in another account: a role that only the deployment may
 * assume, which may find and describe the clusters, and access entries for it in these clusters. It belongs
 * into a stack of the account and region of the clusters.
 * @example
 * ```ts
 * new AccountAccess(stack, 'Sliceflow', {
 *   trusted: ['arn:aws:iam::111111111111:role/Sliceflow-*'],
 *   externalId: 'orders',
 *   roleName: 'sliceflow-clusters',
 *   tag: { tagKey: 'sliceflow.dev/manage' },
 *   clusters: ['orders-1', 'orders-2'],
 * })
 * ```
 */
export class AccountAccess extends Construct {
  /** The `roleArn` of the clusters in the deployment's list. */
  readonly role: IRole

  /** @throws DeploymentError for what cannot work */
  constructor(scope: Construct, id: string, props: AccountAccessProps) {
    super(scope, id)
    checkAccess(props)
    const { tag, clusters = [], users = USERS, shadow = false } = props
    const { region } = Stack.of(this)
    this.role = props.role ?? this.createRole(props)
    this.allow(clusters, tag)
    const groups = [...new Set(users.map((user) => kubernetesGroup(user, { shadow })))]
    for (const clusterName of clusters)
      new CfnAccessEntry(this, clusterName, {
        clusterName,
        principalArn: this.role.roleArn,
        type: 'STANDARD',
        kubernetesGroups: groups,
      })
    new CfnOutput(this, 'RoleArn', { value: this.role.roleArn })
    if (tag === undefined) return
    const search = { kind: 'discover', region, ...tag, roleArn: this.role.roleArn }
    const { externalId } = props
    new CfnOutput(this, 'Search', {
      description: 'for the list of clusters of the deployment',
      value: Stack.of(this).toJsonString({ ...search, ...(externalId !== undefined && { externalId }) }),
    })
    new CfnOutput(this, 'AccessEntries', {
      description: 'makes the access entries of clusters that have the tag, and is run again for later ones',
      value: forEachFound({ region, ...tag }, { principal: this.role.roleArn, groups }),
    })
  }

  private createRole({ trusted, externalId, roleName }: AccountAccessProps): Role {
    return new Role(this, 'Role', {
      description: 'Sliceflow: reaches the clusters of this account',
      assumedBy: trustOf(trusted, externalId),
      ...(roleName !== undefined && { roleName }),
    })
  }

  private allow(clusters: readonly string[], tag: ClusterTag | undefined): void {
    const { region } = Stack.of(this)
    const searches = tag === undefined ? [] : [{ region, ...tag }]
    const listed = clusters.map((clusterName) => ({ region, clusterName }))
    for (const statement of [...describeClusters(this, listed), ...findClusters(this, searches)])
      this.role.addToPrincipalPolicy(statement)
    const policy = this.role.node.tryFindChild('DefaultPolicy') ?? this.role.node.tryFindChild('Policy')
    if (policy !== undefined) acceptSearches(policy, searches)
  }
}

/** IAM knows no wildcard in a principal: the account may assume the role, if it is by one of these roles. */
const trustOf = (trusted: readonly string[], externalId: string | undefined): PrincipalBase =>
  new AccountPrincipal(accountOf(trusted[0])).withConditions({
    ...(externalId !== undefined && { StringEquals: { 'sts:ExternalId': externalId } }),
    ArnLike: { 'aws:PrincipalArn': trusted.length === 1 ? trusted[0] : trusted },
  })

const ROLE = /^arn:aws[a-z-]*:iam::(?<account>\d{12}):role\/(?<name>.+)$/
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/

const accountOf = (arn = ''): string => ROLE.exec(arn)?.groups?.account ?? ''

function checkAccess({ trusted, externalId, tag, clusters = [], users = USERS }: AccountAccessProps): void {
  checkTrusted(trusted)
  if (externalId !== undefined && !EXTERNAL_ID.test(externalId))
    throw new DeploymentError('externalId: must be 2 to 1224 letters, digits, and of _ + = , . @ : / -')
  if (tag === undefined && clusters.length === 0)
    throw new DeploymentError('tag, clusters: give at least one of both, as the role is for nothing else')
  const wrong = clusters.find((name) => !EKS_NAME_PATTERN.test(name))
  if (wrong !== undefined)
    throw new DeploymentError(`clusters: "${wrong}" is no name of an EKS cluster; a cluster's ARN ends in it`)
  const twice = clusters.find((name, index) => clusters.indexOf(name) !== index)
  if (twice !== undefined) throw new DeploymentError(`clusters: "${twice}" is given twice`)
  if (users.length === 0)
    throw new DeploymentError('users: name the parts of the deployment, or leave it out')
}

function checkTrusted(trusted: readonly string[]): void {
  const example = 'such as arn:aws:iam::111111111111:role/Sliceflow-*'
  if (trusted.length === 0)
    throw new DeploymentError(`trusted: name the deployment's roles, as its output RoleArns does, ${example}`)
  for (const arn of trusted) {
    const { name } = ROLE.exec(arn)?.groups ?? {}
    if (name === undefined)
      throw new DeploymentError(`trusted: "${arn}" is not the ARN of a role, or a pattern ${example}`)
    if (/^[*?/]+$/.test(name))
      throw new DeploymentError(`trusted: "${arn}" is every role of its account; name some, ${example}`)
  }
  const accounts = new Set(trusted.map(accountOf))
  if (accounts.size > 1)
    throw new DeploymentError(
      `trusted: these are roles of several accounts (${[...accounts].join(', ')}); a deployment has one: make one AccountAccess for each`,
    )
}
