import { readdirSync } from 'node:fs'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandsPage } from '../../infra/reference/index.ts'
import type { CommandEntry } from '../command-entry.ts'
import { type Ran, runHere } from '../program.fixtures.ts'
import { runProgram } from '../program.ts'
import { COMMANDS } from './index.ts'

describe('the list of commands', () => {
  it('has every folder once, by its name', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(COMMANDS.map(({ name }) => name).sort()).toEqual(folders.sort())
  })

  it('is grouped: the help and the page have the commands in its order', async () => {
    const { stdout } = await runHere(() => runProgram(['--help']))
    const inHelp = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2}/gm)].map(([, name]) => name)
    const onPage = [...commandsPage(COMMANDS).matchAll(/^\| `sliceflow ([a-z-]+)`/gm)].map(([, name]) => name)
    const names = COMMANDS.map(({ name }) => name)
    expect(inHelp).toEqual([...names, 'help'])
    expect(onPage).toEqual(names)
  })
})

describe('a command that is added to the list', () => {
  const greet: CommandEntry = {
    name: 'greet',
    group: 'Inspect',
    summary: 'say hello to a cluster',
    details: 'Needs [no permission](../infra/rbac/README.md).',
    load: async () =>
      new Command()
        .option('--loud', 'in capitals')
        .action(({ loud }: { readonly loud?: true }) => void process.stdout.write(loud ? 'HELLO' : 'hello')),
  }
  const run = (...args: readonly string[]): Promise<Ran> =>
    runHere(() => runProgram(args, [...COMMANDS, greet]))

  it('runs', async () => {
    expect(await run('greet', '--loud')).toEqual({ code: 0, stdout: 'HELLO', stderr: '' })
    expect(await run('greet', '--load')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(Did you mean --loud?)'),
    })
  })

  it('is in the help, and has one of its own', async () => {
    expect((await run('--help')).stdout).toMatch(/^Inspect:\n(?: .*\n)+ {2}greet +say hello to a cluster$/m)
    for (const args of [
      ['greet', '--help'],
      ['help', 'greet'],
    ])
      expect((await run(...args)).stdout).toMatch(
        /^Usage: sliceflow greet [\s\S]*\n {2}--loud +in capitals$/m,
      )
  })

  it('is completed by every shell, with its flags', async () => {
    expect((await run('completion', 'bash')).stdout).toContain("'greet') words='--loud -h --help' ;;")
    expect((await run('completion', 'fish')).stdout).toContain("-a greet -d 'say hello to a cluster'")
  })

  it('has its row on the page of all commands', () => {
    expect(commandsPage([...COMMANDS, greet])).toContain(
      '| `sliceflow greet` | say hello to a cluster. Needs [no permission](../infra/rbac/README.md). |',
    )
  })
})

it('loads no command but the one that is run, so that it starts quickly', async () => {
  const loaded: string[] = []
  const watched = COMMANDS.map((entry) => ({
    ...entry,
    load: (commands: readonly CommandEntry[]) => {
      loaded.push(entry.name)
      return entry.load(commands)
    },
  }))
  await runHere(() => runProgram(['--help'], watched))
  await runHere(() => runProgram(['nothing'], watched))
  expect(loaded).toEqual([])
  await runHere(() => runProgram(['version'], watched))
  expect(loaded).toEqual(['version'])
})
