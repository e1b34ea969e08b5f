import { describe, expect, it } from 'vitest'
import { EKS, ELSEWHERE, emptyBundles, resourcesOf, templateOf } from './template.fixtures.ts'

const SETS = '[{"name":"default","clusters":[{"name":"*"}],"namespaces":["shop"]}]'

describe('a deployment with the prop fleet', () => {
  const bundles = emptyBundles()
  const clusters = [EKS, ELSEWHERE]
  const plain = templateOf({ bundles, clusters })
  const template = templateOf({ bundles, clusters, fleet: { namespaces: ['shop'] } })

  it('gives the sets to the functions and the relay, in their environment', () => {
    const functions = resourcesOf(template, 'AWS::Lambda::Function').filter(([id]) =>
      /Reconcile|Audit/.test(id),
    )
    expect(functions).toHaveLength(2)
    for (const [, { Properties }] of functions)
      expect(JSON.stringify(Properties.Environment)).toContain(JSON.stringify(SETS))
    const [[, task] = []] = resourcesOf(template, 'AWS::ECS::TaskDefinition')
    expect(JSON.stringify(task?.Properties.ContainerDefinitions)).toContain(JSON.stringify(SETS))
  })

  it('needs no permission of AWS beside those of any other', () => {
    const policies = (of: typeof template): unknown =>
      resourcesOf(of, 'AWS::IAM::Policy').map(([id, { Properties }]) => [id, Properties.PolicyDocument])
    expect(policies(template)).toEqual(policies(plain))
  })
})
