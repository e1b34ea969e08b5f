import { expect, it } from 'vitest'
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
