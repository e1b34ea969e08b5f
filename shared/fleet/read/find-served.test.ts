import { describe, expect, it } from 'vitest'
import type { ApiClient } from '../../kubernetes/index.ts'
import { NotFoundError } from '../../kubernetes/index.ts'
import { findServed, MCS_GROUP, type McsVersion, serviceExports } from '../index.ts'

const PLURAL = 'serviceexports'

/** Returns a cluster that gives these answers by path, and 404 at any other path. */
const clientOf = (answers: Readonly<Record<string, unknown>>): ApiClient =>
  ({
    cluster: 'eu',
    async read(path: string) {
      if (path in answers) return answers[path]
      throw new NotFoundError(`failed to read ${path} of cluster eu: not found`, 404, {})
    },
  }) as Partial<ApiClient> as ApiClient

const groupsOf = (...versions: readonly McsVersion[]) => ({
  groups: [
    { name: 'apps', versions: [{ version: 'v1' }] },
    { name: MCS_GROUP, versions: versions.map((version) => ({ version })) },
  ],
})
const kindsAt = (version: McsVersion, ...names: readonly string[]) => ({
  [`/apis/${MCS_GROUP}/${version}`]: { resources: names.map((name) => ({ name })) },
})
const versionFound = async (answers: Readonly<Record<string, unknown>>): Promise<string | undefined> =>
  (await findServed(clientOf(answers), serviceExports))?.version

describe('the version in which a cluster serves a kind', () => {
  it('is the wanted one of those that it has', async () => {
    const both = { ...kindsAt('v1alpha1', PLURAL), ...kindsAt('v1beta1', PLURAL) }
    expect(await versionFound({ '/apis': groupsOf('v1alpha1', 'v1beta1'), ...both })).toBe('v1beta1')
    expect(await versionFound({ '/apis': groupsOf('v1alpha1'), ...both })).toBe('v1alpha1')
    const mixed = { ...kindsAt('v1alpha1', PLURAL), ...kindsAt('v1beta1', 'serviceimports') }
    expect(await versionFound({ '/apis': groupsOf('v1beta1', 'v1alpha1'), ...mixed })).toBe('v1alpha1')
  })

  it('is none where the cluster tells that it serves no such group, version or kind', async () => {
    expect(await versionFound({ '/apis': { groups: [] } })).toBeUndefined()
    expect(await versionFound({ '/apis': groupsOf() })).toBeUndefined()
    const others = kindsAt('v1beta1', 'serviceimports', `${PLURAL}/status`)
    expect(await versionFound({ '/apis': groupsOf('v1beta1'), ...others })).toBeUndefined()
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['it answers with 404 whatever is asked', {}],
    ['the group has no list of kinds for now', { '/apis': groupsOf('v1beta1') }],
    ['it sends something else', { '/apis': { kind: 'List', items: [] } }],
    ['it sends no object', { '/apis': null }],
    ['its groups are no list', { '/apis': { groups: { [MCS_GROUP]: {} } } }],
    ['its kinds are no list', { '/apis': groupsOf('v1beta1'), [`/apis/${MCS_GROUP}/v1beta1`]: 'down' }],
  ])('is not known where %s: that is no word on whether there are objects', async (_, answers) => {
    await expect(versionFound(answers)).rejects.toThrow(/^failed to .* cluster eu/)
  })

  it('is found among groups and kinds that are none', async () => {
    const odd = { groups: [null, 7, { name: MCS_GROUP, versions: [null, { version: 'v1beta1' }] }] }
    const kinds = { resources: ['x', null, { name: PLURAL }] }
    expect(await versionFound({ '/apis': odd, [`/apis/${MCS_GROUP}/v1beta1`]: kinds })).toBe('v1beta1')
  })
})
