/** Runs suites on versions of Kubernetes, and writes their results into docs/kubernetes-versions.md. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { env, execPath, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { RELEASES } from '../cluster/binaries.ts'
import { readResults, writeResults } from './results.ts'
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
The servers of a version are built once, with Go: ten minutes each. Nothing else should run on the machine. Exit codes: 0 all tests passed, 1 some did not.

Examples:
  Everything on the oldest and the newest:
    $ npm run test:versions -- --kubernetes 1.33 1.37
  One suite on all of them:
    $ npm run test:versions -- --suite preflight
  Tests of your choice on one of them, without the table:
    $ KUBERNETES_VERSION=1.34 npx vitest run --project cluster test/cluster/cross-cluster-selectors.test.ts`,
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

/** What a suite said on a version. */
interface SuiteResult {
  readonly passed: number
  /** Names of the tests that failed. */
  readonly failed: readonly string[]
}

type Suites = Readonly<Record<string, SuiteResult>>

interface Report {
  readonly testResults: readonly FileReport[]
}

interface FileReport {
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

/** Runs the files of all suites side by side: a suite alone leaves the machine idle while it waits. */
async function runTests(minor: string, suites: readonly string[], report: string): Promise<Suites> {
  const files = suites.flatMap((suite) => SUITES[suite] ?? [])
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  await run(minor, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', ...reporters, ...files])
  const { testResults }: Report = JSON.parse(await readFile(report, 'utf8'))
  const of = (suite: string): SuiteResult =>
    resultOf(testResults.filter(({ name }) => SUITES[suite]?.includes(relative(ROOT, name))))
  return Object.fromEntries(suites.map((suite) => [suite, of(suite)]))
}

function resultOf(files: readonly FileReport[]): SuiteResult {
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  // A file that fails before its first test has no test that failed.
  const broken = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: [
      ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ...broken.map(({ name }) => relative(ROOT, name)),
    ],
  }
}

/** Each work of the race counts one: that no address is wrong in the end. */
async function runRace(minor: string, report: string): Promise<Suites> {
  const works = ['--only', 'create', 'rolling', 'churn', '--scale', '0.2']
  await run(minor, ['test/bench/main.ts', 'race', '--contender', 'sliceflow', ...works, '--out', report])
  const lines = (await readFile(report, 'utf8')).trim().split('\n')
  const results = lines.map((line): { work: string; differences: readonly string[] } => JSON.parse(line))
  const failed = results.filter(({ differences }) => differences.length > 0).map(({ work }) => work)
  return { [RACE]: { passed: results.length - failed.length, failed } }
}

const folder = await mkdtemp(join(tmpdir(), 'sliceflow-versions-'))
let allPassed = true
try {
  for (const minor of kubernetes) {
    if ((await run(minor, ['test/cluster/binaries.ts'])) !== 0) exit(1)
    const inVitest = suites.filter((suite) => suite !== RACE)
    const found: Suites = {
      ...(inVitest.length > 0 && (await runTests(minor, inVitest, join(folder, `${minor}.json`)))),
      ...(suites.includes(RACE) && (await runRace(minor, join(folder, `${minor}.ndjson`)))),
    }
    allPassed &&= Object.values(found).every(({ failed }) => failed.length === 0)
    await note(minor, found)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
exit(allPassed ? 0 : 1)

/** Adds results to those of earlier runs. Another release of the same minor version starts again. */
async function note(minor: string, found: Suites): Promise<void> {
  const results = await readResults()
  const release = RELEASES[minor] ?? minor
  const date = new Date().toISOString().slice(0, 10)
  const cells = Object.entries(found).map(([suite, { passed, failed }]) => [
    suite,
    `${failed.length === 0 ? '' : `${failed.length} failed, `}${passed} passed, ${date}`,
  ])
  await writeResults({ ...results, [release]: { ...results[release], ...Object.fromEntries(cells) } })
}
