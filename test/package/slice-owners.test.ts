import { expect, it } from 'vitest'
import { OTHER_OWNERS } from '../../shared/changes/index.ts'
import { permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { productFiles, textOf } from './product-files.ts'

/** Labels that name the owner of a slice. */
const NAME_LABEL = /(?<![.\w])kubernetes\.io\/(?:service|endpoint-selector)-name/

it('one file says which labels name the owner of a slice', () => {
  expect(productFiles.length).toBeGreaterThan(500)
  // The control plane is an API server of its own, and knows the label as such.
  const literal = productFiles.filter(
    (file) =>
      !file.startsWith('shared/control-plane/') &&
      textOf(file)
        .split('\n')
        .some((line) => NAME_LABEL.test(line) && !/^\s*(\*|\/\*|\/\/)/.test(line)),
  )
  // The demo's check uses nothing of what it checks.
  expect(literal.sort()).toEqual(['cli/commands/demo/check.ts', 'shared/endpointslice/well-known.ts'])
})

it.each(OTHER_OWNERS)(
  'the roles of its setting allow to read $owner.kind, and slices to refer to it',
  async ({ enabledBy, resources }) => {
    const file = enabledBy.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const allowedBy = async (name: string): Promise<readonly string[]> =>
      (await readRoles(`${name}.yaml`)).roles
        .flatMap(permissionsOf)
        .map(({ verb, resource, group }) => `${verb} ${resource}.${group}`)
    for (const { group, plural } of Object.values(resources)) {
      const reads = ['get', 'list', 'watch'].map((verb) => `${verb} ${plural}.${group}`)
      expect(await allowedBy(file)).toEqual(
        expect.arrayContaining([...reads, `update ${plural}/finalizers.${group}`]),
      )
      expect(await allowedBy(`${file}-read-only`)).toEqual(expect.arrayContaining(reads))
    }
  },
)
