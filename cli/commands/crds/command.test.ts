import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { endpointSelectorDefinition } from '../../../shared/crds/index.ts'
import { customResourceDefinitions } from '../../../shared/fleet/crds/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'

const crds = (...args: string[]) => runSliceflow('crds', ...args)
const documents = (text: string) => parseAllDocuments(text).map((document) => document.toJS())

describe('sliceflow crds', () => {
  it('prints the definition of EndpointSelector, and who of a namespace may write it', async () => {
    const [definition, ...roles] = documents((await crds()).stdout)
    expect(definition).toEqual(endpointSelectorDefinition())
    expect(roles.map(({ metadata }) => Object.keys(metadata.labels))).toEqual([
      ['view', 'edit', 'admin'].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`),
      ['edit', 'admin'].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`),
    ])
  })

  it('prints those of cluster sets as they are, without anchors that some tools cannot read', async () => {
    const { stdout } = await crds('--fleet')
    expect(documents(stdout)).toEqual(customResourceDefinitions())
    expect(stdout).not.toMatch(/[&*]a\d/)
  })

  it('prints what can follow another list of objects in one stream', async () => {
    const printed = [await crds(), await crds('--fleet'), await runSliceflow('rbac')].map(
      ({ stdout }) => stdout,
    )
    const count = documents(printed.join('')).length
    expect(count).toBe(printed.reduce((sum, one) => sum + documents(one).length, 0))
  })

  it('says what to do with it', async () => {
    const { stdout } = await crds('--help')
    expect(stdout).toContain('sliceflow crds --fleet | kubectl --context eu-1 apply -f -')
    expect(stdout).toContain('kubectl diff -f -')
  })

  it('knows nothing else', async () => {
    expect(await crds('--fleets')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean --fleet?'),
    })
  })
})
