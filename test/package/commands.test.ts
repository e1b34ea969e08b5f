import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createProgram } from '../../cli/create-program.ts'
import { COMMANDS } from '../../cli/index.ts'
import { ROOT } from './installed.ts'

const BLOCK = /^```sh\n([\s\S]*?)^```$/gm
const INLINE = /`([^`\n]+)`/g
/** End of a command within a line of a shell. */
const END = /[|;&#)]|\s>/
const FLAG = /^--?[a-zA-Z]/

/**
 * Tests that run each block of `sh`, in the order of the page: a file of tests, or why none does. The pages
 * of views have their own form, with what is printed (test/examples/views.test.ts).
 */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  'README.md': [
    'test/cluster/pages.test.ts',
    'test/cluster/pages.test.ts',
    'test/cluster/pages.test.ts',
    'cli/commands/demo/command.test.ts',
    'test/cluster/one-cluster-two-names.test.ts',
    'infra/documented-commands.test.ts',
  ],
  'CONTRIBUTING.md': ['.ci/run', 'infra/packaging/changelog.test.ts'],
  'docs/threat-model.md': ['it asks a registry'],
  'docs/upgrading.md': ['test/package/upgrading.test.ts'],
  'docs/without-aws.md': [
    'it needs podman and a registry',
    'it asks a registry',
    'test/cluster/hub/page.test.ts',
    'test/cluster/hub/hub.test.ts',
    'test/cluster/hub/page.test.ts',
    'test/cluster/hub/page.test.ts',
    'test/cluster/hub/page.test.ts',
    'test/cluster/hub/page.test.ts',
    'test/cluster/hub/systemd.test.ts',
    'it needs the command line of AWS, and a queue of somebody else',
  ],
  'examples/operator-pods/README.md': Array(3).fill('test/cluster/pages.test.ts'),
  'examples/other-cluster/README.md': Array(4).fill('test/cluster/pages.test.ts'),
  'examples/pipeline/README.md': [
    'it installs from a registry; test/examples/pipeline.test.ts synthesizes it',
  ],
  'examples/secondary-network/README.md': Array(3).fill('test/cluster/pages.test.ts'),
  'examples/set-based-selection/README.md': Array(3).fill('test/cluster/pages.test.ts'),
  'examples/static-addresses/README.md': Array(3).fill('test/cluster/pages.test.ts'),
  'cli/console/README.md': ['cli/commands/run/console.test.ts'],
  'infra/README.md': [
    'it needs an account of AWS',
    'it needs an account of AWS; infra/documented-commands.test.ts runs it as far as CDK',
    'infra/documented-commands.test.ts',
    'infra/documented-commands.test.ts',
    'infra/documented-commands.test.ts',
  ],
  'infra/runbooks/README.md': ['it needs the command line of AWS, and a deployment'],
  'shared/control-plane/README.md': Array(2).fill('test/cluster/pages.test.ts'),
  'shared/control-plane/controllers/README.md': Array(2).fill('test/cluster/pages.test.ts'),
  'shared/tracing/README.md': ['test/end-to-end/traces.test.ts'],
  'test/histories/README.md': ['test/histories/embedded.test.ts'],
  'test/perturbation/README.md': ['test/cluster/perturbation.test.ts'],
  'test/survival/README.md': ['test/cluster/survival.test.ts'],
}

const pages = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (path) => /node_modules|dist|cdk\.out|testdata/.test(path),
})
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8')
const blocksOf = (page: string): string[] =>
  [...textOf(page).matchAll(BLOCK)].map(([, script = '']) => script)

/** Returns the command lines of a page, in blocks and in sentences. */
const linesOf = (page: string): string[] => [
  ...blocksOf(page).flatMap((script) => script.split('\n')),
  ...[
    ...textOf(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(INLINE),
  ].map(([, words = '']) => words),
]

/** Returns the commands of the program by their names. */
async function allCommands(): Promise<ReadonlyMap<string, Command>> {
  const { commands } = await createProgram(COMMANDS)
  return new Map(commands.map((command) => [command.name(), command]))
}

/** Returns what is wrong with the words after `sliceflow`. */
function problemOf(words: readonly string[], commands: ReadonlyMap<string, Command>): string | undefined {
  const [name = ''] = words
  if (!/^[a-z]/.test(name)) return undefined
  const command = commands.get(name)
  if (command === undefined) return `there is no command ${name}`
  const below = command.commands.find((one) => words[1] === one.name())
  const options = [...command.options, ...(below?.options ?? [])]
  const known = new Set(options.flatMap(({ short, long }) => [short, long]))
  const unknown = words
    .filter((word) => FLAG.test(word))
    .map((word) => word.replace(/[=,…].*$/, ''))
    .find((flag) => flag !== '--help' && !known.has(flag))
  return unknown === undefined ? undefined : `${name} has no ${unknown}`
}

it('every command in a page is one that there is, with flags that it has', async () => {
  const commands = await allCommands()
  const lines = pages.flatMap((page) => linesOf(page).map((line) => ({ page, line })))
  const called = lines.flatMap(({ page, line }) => {
    const [, call] = /^(?:\$ )?(?:npx |npm run (?:-s )?)?sliceflow (?:-- )?(.*)$/.exec(line) ?? []
    return call === undefined ? [] : [{ page, line, words: call.split(END)[0]?.trim().split(/\s+/) ?? [] }]
  })
  expect(called.length).toBeGreaterThan(50)
  const wrong = called.map(({ page, line, words }) => ({ page, line, problem: problemOf(words, commands) }))
  expect(wrong.filter(({ problem }) => problem !== undefined)).toEqual([])
})

it('every script that a page names is in package.json', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const named = pages.flatMap((page) =>
    linesOf(page).flatMap((line) =>
      [...line.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, script = '']) => ({ page, script })),
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(({ script }) => scripts[script] === undefined)).toEqual([])
})

it('every block of commands is run by a test, or it is said why not', () => {
  const blocks = pages
    .filter((page) => page !== 'shared/views/README.md')
    .map((page) => [page, blocksOf(page).length] as const)
    .filter(([, count]) => count > 0)
  const listed = Object.entries(RUN_BY).map(([page, runners]) => [page, runners.length] as const)
  expect(new Map(blocks.toSorted())).toEqual(new Map(listed.toSorted()))
  const files = Object.values(RUN_BY)
    .flat()
    .filter((runner) => /^\S+$/.test(runner))
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
