import { describe, expect, it } from 'vitest'
import { ClusterConfigError, checkClusters, parseClusters } from './index.ts'

const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' }
const SECRET = {
  name: 'edge',
  kind: 'secret',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:sliceflow/edge-AbCdEf',
}

describe('the list of clusters', () => {
  it('takes EKS clusters, secrets and searches by a tag', () => {
    const list = [
      EKS,
      { ...EKS, name: 'us-1', region: 'us-gov-east-1', roleArn: 'arn:aws-us-gov:iam::123456789012:role/x/y' },
      SECRET,
      { kind: 'discover', region: 'eu-west-1', tagKey: 'sliceflow.dev/manage' },
    ]
    expect(parseClusters(JSON.stringify(list))).toEqual(list)
  })

  it('may have several searches', () => {
    const search = { kind: 'discover', region: 'eu-west-1', tagKey: 'a' }
    expect(checkClusters([search, { ...search, tagKey: 'b' }])).toHaveLength(2)
  })

  it('is text in JSON, and wrong for good otherwise', () => {
    expect(() => parseClusters('[')).toThrow('clusters: the text is not JSON')
    expect(() => parseClusters('[')).toThrow(expect.objectContaining({ retryable: false }))
  })

  it.each([
    ['an empty list', [], /^clusters: the list is empty; name at least one/],
    ['no list', { name: 'a' }, /^clusters: must be a list, such as/],
    ['a name given twice', [EKS, { ...SECRET, name: 'eu-1' }], /^cluster "eu-1": the name is given twice/],
    [
      'a cluster of EKS under two names',
      [EKS, { ...EKS, name: 'other' }],
      /^clusters "eu-1" and "other" are one cluster: take one of the two entries out$/,
    ],
    [
      'a secret under two names',
      [SECRET, { ...SECRET, name: 'other' }],
      /^clusters "edge" and "other" are one cluster: /,
    ],
    [
      'a region missing',
      [{ ...EKS, region: undefined }],
      /^cluster "eu-1": region must be given, such as "eu-west-1"$/,
    ],
    ['a zone for a region', [{ ...EKS, region: 'eu-west-1a' }], /^cluster "eu-1": region must be a region/],
    [
      'an ARN for the EKS name',
      [{ ...EKS, clusterName: 'arn:aws:eks:x' }],
      /^cluster "eu-1": clusterName must be the name/,
    ],
    [
      'a role that is no ARN',
      [{ ...EKS, roleArn: 'admin' }],
      /^cluster "eu-1": roleArn must be the ARN of a role/,
    ],
    [
      'a secret by its name',
      [{ ...SECRET, secretArn: 'edge' }],
      /^cluster "edge": secretArn must be the ARN of a secret/,
    ],
    [
      'an unknown kind',
      [{ name: 'a', kind: 'gke' }],
      /^cluster "a": kind: "gke" is not one of "eks", "secret", "discover"$/,
    ],
    ['an unknown field', [{ ...EKS, rolArn: 'x' }], /^cluster "eu-1": \S.*rolArn/],
    [
      'nothing',
      [null],
      /^cluster 1 of the list: kind: "undefined" is not one of "eks", "secret", "discover"$/,
    ],
    ['a number', [7], /^cluster 1 of the list: kind: "undefined" is not one of "eks", "secret", "discover"$/],
    [
      'a word',
      ['eu-1'],
      /^cluster 1 of the list: kind: "undefined" is not one of "eks", "secret", "discover"$/,
    ],
    ['a kubeconfig', [{ name: 'a', users: [] }], /functions run no exec plugins$/],
    [
      'a name of a cluster set',
      [{ ...EKS, name: 'clusterset:shop' }],
      /^cluster "clusterset:shop": name must not begin with "clusterset:"/,
    ],
    ['no name', [{ ...EKS, name: undefined }], /^cluster 1 of the list: name must be given/],
  ])('refuses %s in one line', (_, list, problem) => {
    const text = JSON.stringify(list)
    expect(() => parseClusters(text)).toThrow(ClusterConfigError)
    expect(() => parseClusters(text)).toThrow(problem)
    expect(messageOf(() => parseClusters(text))).not.toContain('\n')
  })

  it('reports every entry that is wrong', () => {
    const wrong = [
      { ...EKS, region: 'x' },
      { ...SECRET, secretArn: 'y' },
    ]
    expect(messageOf(() => checkClusters(wrong))).toMatch(/cluster "eu-1": .*; cluster "edge": /)
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}
