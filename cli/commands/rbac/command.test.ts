import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runSliceflow } from '../../program.fixtures.ts'

const rbac = (...args: string[]) => runSliceflow('rbac', ...args)

describe('sliceflow rbac', () => {
  it.each([
    ['what relay and functions need', [], ['sliceflow', 'sliceflow-relay', 'sliceflow-view-publisher']],
    ['what comparing needs', ['--read-only'], ['sliceflow-read-only']],
    ['what operators need', ['--operator'], ['sliceflow-operator']],
    [
      'what a cluster of a set needs',
      ['--fleet'],
      [
        'sliceflow-fleet-export',
        'sliceflow-fleet-export-relay',
        'sliceflow-fleet-import',
        'sliceflow-fleet-import-relay',
      ],
    ],
    [
      'what one needs that only exports',
      ['--fleet', 'export'],
      ['sliceflow-fleet-export', 'sliceflow-fleet-export-relay'],
    ],
    [
      'what one needs that only imports',
      ['--fleet=import'],
      ['sliceflow-fleet-import', 'sliceflow-fleet-import-relay'],
    ],
    ['what mirroring needs', ['--mirroring'], ['sliceflow-mirroring', 'sliceflow-mirroring-relay']],
    ['what comparing mirrors needs', ['--mirroring', '--read-only'], ['sliceflow-mirroring-read-only']],
    ['what comparing a set needs', ['--fleet', '--read-only'], ['sliceflow-fleet-read-only']],
  ])('prints %s, bound to groups', async (_, args, names) => {
    const { stdout } = await rbac(...args)
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole')
    const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding')
    expect(roles.map(({ metadata }) => metadata.name)).toEqual(names)
    expect(bindings.map(({ roleRef }) => roleRef.name)).toEqual(names)
    for (const { subjects } of bindings)
      expect(subjects).toContainEqual(expect.objectContaining({ kind: 'Group' }))
  })

  it('prints the policies that refuse malformed annotations, each with its binding, and no role', async () => {
    const { stdout } = await rbac('--admission')
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    expect(objects.map(({ kind }) => kind)).toEqual(
      Array(7).fill(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']).flat(),
    )
    for (const { kind, metadata, spec } of objects)
      if (kind.endsWith('Binding')) expect(spec.policyName).toBe(metadata.name)
    expect(await rbac('--admission', '--user', 'alice')).toMatchObject({ code: 2 })
  })

  it('refuses a part of a set that there is none of', async () => {
    expect(await rbac('--fleet', 'exports')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are both, export, import'),
    })
  })

  it('prints the Service of the canary, and who may change it alone', async () => {
    const { stdout } = await rbac('--canary')
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'Service', 'Role', 'RoleBinding'])
  })

  it.each([
    ['relay and functions', [], ['sliceflow', 'sliceflow-relay']],
    [
      'a cluster of a set',
      ['--fleet'],
      [
        'sliceflow-fleet-export',
        'sliceflow-fleet-export-relay',
        'sliceflow-fleet-import',
        'sliceflow-fleet-import-relay',
      ],
    ],
    ['mirroring', ['--mirroring'], ['sliceflow-mirroring', 'sliceflow-mirroring-relay']],
    ['comparing', ['--read-only'], ['sliceflow-read-only']],
  ])(
    'binds the roles of %s to a ServiceAccount as well, and changes nothing else',
    async (_, args, names) => {
      const objectsOf = ({ stdout }: { stdout: string }) =>
        parseAllDocuments(stdout).map((document) => document.toJS())
      const account = { kind: 'ServiceAccount', name: 'relay.eu', namespace: 'net' }
      const bound = objectsOf(await rbac(...args, '--serviceaccount', 'net:relay.eu'))
      const withIt = bound.filter(({ subjects }) => subjects?.at(-1).kind === 'ServiceAccount')
      expect(withIt.map(({ metadata }) => metadata.name)).toEqual(names)
      for (const { subjects } of withIt) expect(subjects.pop()).toEqual(account)
      expect(bound).toEqual(objectsOf(await rbac(...args)))
    },
  )

  it.each([[], ['--operator'], ['--read-only'], ['--fleet', 'export'], ['--canary']])(
    'binds the roles of %j to a user as well',
    async (...args) => {
      const { stdout } = await rbac(...args, '--user', 'alice@example.com')
      const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice@example.com' }
      const bindings = parseAllDocuments(stdout).map((document) => document.toJS())
      expect(
        bindings.filter(({ subjects }) => subjects).map(({ subjects }) => subjects.at(-1)),
      ).toContainEqual(user)
    },
  )

  it.each(['sliceflow', 'a/b', 'a:b:c', ':b', 'a:', 'a.b:c', 'a:B'])(
    'refuses the ServiceAccount %j',
    async (text) => {
      expect(await rbac('--serviceaccount', text)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"${text}" is not a ServiceAccount: give NAMESPACE:NAME`),
      })
    },
  )

  it('refuses both at once', async () => {
    expect(await rbac('--read-only', '--operator')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be used with'),
    })
  })
})
