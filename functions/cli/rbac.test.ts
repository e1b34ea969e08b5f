import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

describe('sliceflow rbac', () => {
  it('prints a ClusterRole, and a binding of it to the group that access entries name', async () => {
    const main = new URL('./main.ts', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'rbac'])
    const [role, binding] = parseAllDocuments(stdout).map((document) => document.toJS())
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'sliceflow' },
      rules: expect.any(Array),
    })
    expect(binding).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'sliceflow' },
      subjects: expect.arrayContaining([expect.objectContaining({ kind: 'Group', name: 'sliceflow' })]),
    })
  })
})
