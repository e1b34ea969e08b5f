import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Command } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { CLUSTERS } from './common.ts'
import { addFlags } from './flags.ts'
import { kubeconfigFiles } from './kubeconfig.ts'

describe('the kubeconfig', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder()
  })

  const list = (...files: readonly string[]): string => files.join(delimiter)

  it('is each file of KUBECONFIG that is there, as kubectl takes them', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    await Promise.all([writeFile(first, ''), writeFile(second, '')])
    const listed = list(first, join(folder, 'missing'), '', second)
    expect(kubeconfigFiles({ KUBECONFIG: listed })).toEqual([first, second])
  })

  it('is what KUBECONFIG lists where none of it is there, so that the error names it', () => {
    const missing = join(folder, 'missing')
    expect(kubeconfigFiles({ KUBECONFIG: missing })).toEqual([missing])
    expect(kubeconfigFiles({ KUBECONFIG: missing, KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toEqual([])
  })

  it('is the one of the home directory without KUBECONFIG', () => {
    expect(kubeconfigFiles({})).toEqual([join(homedir(), '.kube', 'config')])
  })

  it('is none of a home that the user does not have: the service account’s in a pod, else an absent file, named in the error', () => {
    const nowhere = (): string => {
      throw new Error('uv_os_homedir returned ENOENT')
    }
    expect(kubeconfigFiles({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, nowhere)).toEqual([])
    expect(kubeconfigFiles({}, nowhere)).toEqual([join('~', '.kube', 'config')])
  })

  it('is each file of a flag that is repeated, in place of those of KUBECONFIG', () => {
    const command = addFlags(new Command('any'), CLUSTERS)
    command.parse(['--kubeconfig', 'a', '--kubeconfig', 'b'], { from: 'user' })
    expect(command.opts()).toMatchObject({ kubeconfig: ['a', 'b'] })
  })
})
