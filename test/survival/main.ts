/** The in-tree controller and Sliceflow through the same faults, one after the other on the same API server; see README.md. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import { ensureBinaries } from '../cluster/binaries.ts'
import { type RealCluster, startRealCluster } from '../cluster/end-to-end-cluster.ts'
import { BinariesError } from '../support/go-program.ts'
import { serverOf, withServer } from '../support/kubeconfig.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { FORMATS, type Format, mark, reportText } from './report.ts'
import { type Result, runScenarios } from './run.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/index.ts'
import { controllerManagerKind, sliceflowKind } from './subjects.ts'

interface Options {
  readonly output: Format
  readonly only?: readonly string[]
  readonly subject?: string
}

const list = (text: string): string[] => text.split(',')

function readOptions(): Options {
  return new Command('main.ts')
    .description('Plays faults to kube-controller-manager and to Sliceflow and tells who survives what.')
    .addOption(new Option('-o, --output <format>', 'of the table').choices(FORMATS).default('table'))
    .option('--only <ids>', 'these scenarios, by comma', list)
    .addOption(
      new Option('--subject <id>', 'this one only').choices(['kube-controller-manager', 'sliceflow']),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 Sliceflow survives everything, 1 it does not, 2 wrong use or no programs.',
    )
    .parse()
    .opts<Options>()
}

const line = (text: string): void => void stderr.write(`${text}\n`)

const progress = ({ scenario, subject, seconds, ...result }: Result): void =>
  line(`${mark(result).padEnd(4)}${subject} ${scenario.id}: ${result.observed} (${seconds.toFixed(1)} s)`)

async function play(
  scenarios: readonly Scenario[],
  { output, subject }: Options,
  folder: string,
): Promise<boolean> {
  const cluster = await startRealCluster('survival')
  const network = await startTcpProxy({ target: targetOf(cluster) })
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  const through = (kubeconfig: string): string => withServer(kubeconfig, `https://127.0.0.1:${network.port}`)
  const [connection] = await loadClusters(await file('direct', cluster.admin))
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  const client = createApiClient(connection)
  const subjects = [
    controllerManagerKind(await file('admin', through(cluster.admin))),
    sliceflowKind(await file('user', through(cluster.user)), await version()),
  ].filter(({ id }) => subject === undefined || subject === id)
  const results: Result[] = []
  try {
    for (const kind of subjects) {
      line(`${scenarios.length} scenarios with ${kind.name}`)
      results.push(
        ...(await runScenarios(scenarios, kind, { client, network, server: cluster.server }, progress)),
      )
    }
  } finally {
    client.close()
    await network.close()
    await cluster.stop()
  }
  stdout.write(`${reportText({ subjects, scenarios, results }, output)}\n`)
  return results.every((result) => result.survived || result.subject !== 'sliceflow')
}

function targetOf({ admin }: RealCluster): { hostname: string; port: number } {
  const { hostname, port } = serverOf(admin)
  return { hostname, port: Number(port) }
}

async function version(): Promise<string> {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url))
  return JSON.parse(await readFile(path, 'utf8')).version
}

const options = readOptions()
const scenarios = SCENARIOS.filter(({ id }) => options.only?.includes(id) ?? true)
if (scenarios.length === 0) {
  line(`--only: there are ${SCENARIOS.map(({ id }) => id).join(', ')}`)
  exit(2)
}
const folder = await mkdtemp(join(tmpdir(), 'sliceflow-survival-'))
try {
  await ensureBinaries(line)
  process.exitCode = (await play(scenarios, options, folder)) ? 0 : 1
} catch (error) {
  if (!(error instanceof BinariesError)) throw error
  line(error.message)
  process.exitCode = 2
} finally {
  await rm(folder, { recursive: true })
}
