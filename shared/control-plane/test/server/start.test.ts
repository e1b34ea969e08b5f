import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('start-modules.ts', import.meta.url))

it('a start loads no package, and of the server only what it needs to be ready', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { timeout: 60_000 })
  const loaded = stdout.split('\n')
  expect(loaded).toContain('shared/control-plane/control-plane.ts')
  // Each of them costs every start some milliseconds, whether anybody needs it or not: load it where it is
  // used.
  expect(loaded.filter((name) => !name.startsWith('shared/'))).toEqual([])
  for (const part of ['apiserver/openapi/', 'auth/security/jwt/', 'apiserver/http/metrics/exposition']) {
    expect(loaded.filter((name) => name.startsWith(`shared/control-plane/${part}`))).toEqual([])
  }
}, 90_000)
