import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './installed.ts'

/** Labels that name the owner of a slice. */
const NAME_LABEL = /(?<![.\w])kubernetes\.io\/(?:service|endpoint-selector)-name/

it('one file says which labels name the owner of a slice', () => {
  const files = globSync('{cli,functions,infra,shared}/**/*.ts', {
    cwd: ROOT,
    // The control plane is an API server of its own, and knows the label as such.
    exclude: (path) =>
      /node_modules|cdk\.out|shared\/control-plane|\/test\/|(test|fixtures|arbitraries)\.ts$/.test(path),
  })
  expect(files.length).toBeGreaterThan(500)
  const literal = files.filter((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .some((line) => NAME_LABEL.test(line) && !/^\s*(\*|\/\*|\/\/)/.test(line)),
  )
  // The demo's check uses nothing of what it checks.
  expect(literal.sort()).toEqual(['cli/demo/check.ts', 'shared/endpointslice/well-known.ts'])
})
