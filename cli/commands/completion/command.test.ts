import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedFolder } from '../../../test/support/temporary-folder.ts'
import { runSliceflow } from '../../program.fixtures.ts'

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts: [{name: eu-1, context: {cluster: c, user: u}}, {name: us-1, context: {cluster: c, user: u}}]
current-context: eu-1
`

const folder = sharedFolder()
beforeAll(async () => {
  await writeFile(join(folder, 'kubeconfig'), KUBECONFIG)
  await writeFile(join(folder, 'script.bash'), (await runSliceflow('completion', 'bash')).stdout)
})

/** Sources the script in bash and returns what it offers for the last word. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const script = `sliceflow() { "$NODE" "$MAIN" "$@"; }; source "$FOLDER/script.bash"
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sliceflow; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { PATH: process.env.PATH, NODE: process.execPath, MAIN, FOLDER: folder }
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', 'sliceflow', ...words], {
    env: { ...env, KUBECONFIG: join(folder, 'kubeconfig') },
  })
  return stdout.split('\n').filter(Boolean)
}

describe('sliceflow completion bash', () => {
  it.each([
    [['st'], ['status']],
    [['dead-letters', 're'], ['redrive']],
    [['release', '--names'], ['--namespace']],
    [
      ['release', 'shop/web', '-o', ''],
      ['text', 'json', 'yaml'],
    ],
    [
      ['views', '--output', ''],
      ['json', 'yaml', 'table'],
    ],
    [
      ['explain', '--context', ''],
      ['eu-1', 'us-1'],
    ],
    [['status', '--context', 'eu-1', '--context', 'u'], ['us-1']],
    [['completion', '--h'], ['--help']],
    [
      ['rbac', '--fleet', ''],
      ['both', 'export', 'import'],
    ],
    // The name of a file: bash offers those itself.
    [['views', '--spec', ''], []],
  ])('offers for %j %j', async (words, wanted) => {
    expect(await offered(...words)).toEqual(wanted)
  })

  it('offers every command, and no flag that the help hides', async () => {
    const { stdout } = await runSliceflow('--help')
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name)
    // The help's own command is commander's, and not among ours.
    commands.splice(commands.indexOf('help'), 1)
    expect(await offered('')).toEqual(expect.arrayContaining(commands))
    expect(await offered('explain', '--cluster')).toEqual(['--cluster-sets'])
  })
})

it('prints a script for fish and zsh, and refuses other shells', async () => {
  const fish = (await runSliceflow('completion', 'fish')).stdout
  expect(fish).toContain("-n '__fish_use_subcommand' -a explain -d '")
  expect(fish).toContain("-n '__fish_seen_subcommand_from release' -l output -s o -xa 'text json yaml' -d '")
  expect(fish).toContain("-n '__fish_seen_subcommand_from dead-letters; and not __fish_seen_subcommand_from")
  expect((await runSliceflow('completion', 'zsh')).stdout).toMatch(/^autoload -Uz compinit bashcompinit\n/)
  expect(await runSliceflow('completion', 'tcsh')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"tcsh" is none of the shells bash, zsh and fish'),
  })
})
