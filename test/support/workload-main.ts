/**
 * Puts a cluster under load and reports whether its EndpointSlices are right in the end:
 * `node test/support/workload-main.ts --kubeconfig F --mode replace --managed-by
 * endpointslice-controller.k8s.io`
 */
import { exit, stdout } from 'node:process'
import { Command, InvalidArgumentError, Option } from 'commander'
import { createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import { createWorkload } from './workload.ts'
import { CHANGE_KINDS, type ChangeKind } from './workload-changes.ts'
import type { SelectionMode } from './world/index.ts'

/** Long enough to outlive a server that is frozen for a minute. */
const CALL_TIMEOUT_MS = 150_000
const DIFFERENCES_SHOWN = 40

interface Arguments {
  readonly kubeconfig: string
  readonly context?: string
  readonly services: number
  readonly pods: number
  readonly rolling: number
  readonly rate: number
  readonly seconds: number
  readonly seed: number
  readonly settle: number
  readonly managedBy: string
  readonly mode: SelectionMode
  readonly besideInTree: boolean
  readonly maxEndpointsPerSlice: number
  readonly without: readonly ChangeKind[]
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number, 0 or more.')
  return Number(text)
}

const command = new Command('workload-main.ts')
  .description(
    'Changes a cluster at random, then waits until its EndpointSlices are right; exit code 1 if they are not.',
  )
  .requiredOption('--kubeconfig <file>', 'the cluster; its user may do everything')
  .option('--context <name>', 'default: the current one')
  .option('--services <n>', 'made at once', count, 200)
  .option('--pods <n>', 'of each Service', count, 10)
  .option('--rolling <n>', 'also a rolling update of a Service of so many pods', count, 0)
  .option('--rate <n>', 'changes a second', count, 50)
  .option('--seconds <n>', 'of changes', count, 30)
  .option('--seed <n>', 'draws everything; namespaces are named after it', count, 1)
  .option('--settle <seconds>', 'wait at most so long for the slices to be right', count, 60)
  .option('--managed-by <value>', 'whose slices are checked', 'sliceflow.dev')
  .addOption(new Option('--mode <mode>').choices(['custom', 'replace']).default('custom'))
  .option('--beside-in-tree', 'half of the Services are left to the in-tree controller', false)
  .option('--max-endpoints-per-slice <n>', 'more than that is wrong', count, 100)
  .addOption(
    new Option('--without <kinds...>', 'kinds of changes not to draw').choices(CHANGE_KINDS).default([]),
  )

async function main(): Promise<boolean> {
  const options = command.parse().opts<Arguments>()
  const [cluster] = await loadClusters(options.kubeconfig, options.context ? [options.context] : [])
  if (cluster === undefined) throw new Error(`kubeconfig ${options.kubeconfig} has no cluster`)
  const client = createApiClient(cluster, { timeoutMs: CALL_TIMEOUT_MS })
  const started = performance.now()
  const report = (line: string): void => {
    stdout.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`)
  }
  const workload = createWorkload({
    ...options,
    client,
    podsPerService: options.pods,
    settings: options,
    report,
  })

  await workload.createAll()
  if (options.rolling > 0) await workload.rollingUpdate(options.rolling)
  const changes = await workload.change(options)
  report(`${changes} changes made`)
  const { seconds, differences } = await workload.settle(options.settle)
  client.close()

  if (differences.length === 0) {
    report(`everything is right, ${seconds.toFixed(2)} s after the last change`)
    return true
  }
  for (const difference of differences.slice(0, DIFFERENCES_SHOWN)) stdout.write(`  ${difference}\n`)
  report(`${differences.length} differences are left after ${seconds.toFixed(0)} s`)
  return false
}

exit((await main()) ? 0 : 1)
