import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { customResourceDefinitions } from '../../../../shared/fleet/crds/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'

const fleet = (...args: string[]) => runSliceflow('fleet', ...args)

describe('sliceflow fleet', () => {
  it('prints the definitions of the API as they are, without anchors that some tools cannot read', async () => {
    const { stdout } = await fleet('crds')
    expect(parseAllDocuments(stdout).map((document) => document.toJS())).toEqual(customResourceDefinitions())
    expect(stdout).not.toMatch(/[&*]a\d/)
  })

  it('says what to do with it', async () => {
    expect((await fleet('--help')).stdout).toContain(
      'sliceflow fleet crds | kubectl --context eu-1 apply -f -',
    )
    expect((await fleet('crds', '--help')).stdout).toContain('kubectl diff -f -')
  })

  it('knows nothing else', async () => {
    expect(await fleet('crd')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean crds?'),
    })
  })
})
