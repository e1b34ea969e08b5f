/** Runs suites on versions of Kubernetes, and writes their results into docs/kubernetes-versions.md. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { env, execPath, exit, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { RELEASES } from '../cluster/binaries.ts'
import { readResults, type SuiteResult, writeResults } from './results.ts'
import { RACE, SUITE_NAMES, SUITES } from './suites.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MINORS = Object.keys(RELEASES)

const { kubernetes, suite: suites } = new Command('npm run test:versions --')
  .description(
    'Runs suites on versions of Kubernetes, and writes what they said into docs/kubernetes-versions.md.',
  )
  .addOption(
    new Option('--kubernetes <minors...>', 'such as 1.34; default: all')
      .choices(MINORS)
      .default(MINORS, 'all'),
  )
  .addOption(
    new Option('--suite <names...>', 'not all of them').choices(SUITE_NAMES).default(SUITE_NAMES, 'all'),
  )
  .addHelpText(
    'after',
    `
The servers of a version are built once, with Go: ten minutes each. Exit codes: 0 all tests passed, 1 some did not.

Examples:
  Everything on the oldest and the newest:
    $ npm run test:versions -- --kubernetes 1.33 1.37
  One suite on all of them:
    $ npm run test:versions -- --suite preflight
  Tests of your choice on one of them, without the table:
    $ KUBERNETES_VERSION=1.34 npx vitest run --project cluster test/cluster/fleet.test.ts`,
  )
  .parse()
  .opts<{ kubernetes: readonly string[]; suite: readonly string[] }>()

/** Runs a program with the servers of a version, and returns its exit code. */
async function run(minor: string, args: readonly string[]): Promise<number | null> {
  const child: ChildProcess = spawn(execPath, args, {
    cwd: ROOT,
    env: { ...env, KUBERNETES_VERSION: minor },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

async function runTests(minor: string, files: readonly string[], report: string): Promise<SuiteResult> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  await run(minor, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', ...reporters, ...files])
  const { testResults }: Report = JSON.parse(await readFile(report, 'utf8'))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  // A file that fails before its first test has no test that failed.
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: [
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...broken.map(({ name }) => relative(ROOT, name)),
    ],
    date: today(),
  }
}

/** Each work of the race counts one: that no address is wrong in the end. */
async function runRace(minor: string, report: string): Promise<SuiteResult> {
  const works = ['--only', 'create', 'rolling', 'churn', '--scale', '0.2']
  await run(minor, ['test/bench/main.ts', 'race', '--contender', 'sliceflow', ...works, '--out', report])
  const lines = (await readFile(report, 'utf8')).trim().split('\n')
  const results = lines.map((line): { work: string; differences: readonly string[] } => JSON.parse(line))
  const failed = results.filter(({ differences }) => differences.length > 0).map(({ work }) => work)
  return { passed: results.length - failed.length, failed, date: today() }
}

const today = (): string => new Date().toISOString().slice(0, 10)

const folder = await mkdtemp(join(tmpdir(), 'sliceflow-versions-'))
let allPassed = true
try {
  for (const minor of kubernetes) {
    if ((await run(minor, ['test/cluster/binaries.ts'])) !== 0) exit(1)
    for (const [index, name] of suites.entries()) {
      stdout.write(`\n== ${name} on ${RELEASES[minor]}\n`)
      const report = join(folder, `${minor}-${index}.json`)
      const result =
        name === RACE ? await runRace(minor, report) : await runTests(minor, SUITES[name] ?? [], report)
      allPassed &&= result.failed.length === 0
      await note(minor, name, result)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
exit(allPassed ? 0 : 1)

/** Adds a result to those of earlier runs. A release of the same minor version starts anew. */
async function note(minor: string, suite: string, result: SuiteResult): Promise<void> {
  const results = await readResults()
  const before = results[minor]
  const release = RELEASES[minor] ?? minor
  const earlier = before?.release === release ? before.suites : {}
  const merged = { ...results, [minor]: { release, suites: { ...earlier, [suite]: result } } }
  await writeResults(
    Object.fromEntries(
      Object.entries(merged).toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
    ),
  )
}
