import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from '../../../infra/bundling/index.ts'
import { startControllerManager } from '../../cluster/controller-manager.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import { type GuardedProcess, startGuarded } from '../guarded-process.ts'

export const CONTENDERS = ['in-tree', 'sliceflow'] as const
export type ContenderName = (typeof CONTENDERS)[number]

/** A running controller, to be stopped by its starter. It is killed when this process ends. */
export interface Contender {
  readonly pid: number
  stop(): Promise<void>
}

export interface ContenderOptions {
  /** Seconds: Sliceflow's coalescing window, and in-tree's batch period. Default: the default of each. */
  readonly window?: number
  /** Starts Sliceflow from the sources; default: bundled, as it is installed. */
  readonly checkout?: boolean
  /** Path of Sliceflow's main file. Default: that of the bundle, or of the sources with `checkout`. */
  readonly main?: string
  /** True for Sliceflow to publish EndpointSelectors as well. Default false. */
  readonly endpointSelectors?: boolean
  /** A file that Sliceflow records to. Default: it does not. */
  readonly record?: string
}

/**
 * Its default of 20 requests a second makes it wait: creating 200 Services takes it 10 s, churn at 50 changes
 * a second leaves it seconds behind.
 */
const UNTHROTTLED = ['--kube-api-qps=1000', '--kube-api-burst=2000']
const SOURCE = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))
/** Path of the command in the package. */
const BUILT = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Builds the command, so that the sources as they are now are raced. */
export const buildSliceflow = (): Promise<unknown> => bundleCommand(dirname(BUILT))

/**
 * Starts it on a cluster and waits until it says that it is up.
 * @throws ServerError with the end of its log if it does not come up
 */
export const startContender = (
  name: ContenderName,
  kubeconfig: string,
  options: ContenderOptions,
): Promise<Contender> =>
  name === 'in-tree' ? startInTree(kubeconfig, options) : startSliceflow(kubeconfig, options)

const startInTree = (kubeconfig: string, { window }: ContenderOptions): Promise<Contender> =>
  startControllerManager({
    kubeconfig,
    controllers: ['endpointslice-controller'],
    flags: [
      ...UNTHROTTLED,
      ...(window === undefined ? [] : [`--endpointslice-updates-batch-period=${window}s`]),
    ],
  })

function startSliceflow(
  kubeconfig: string,
  { window, checkout = false, main = checkout ? SOURCE : BUILT, record, endpointSelectors }: ContenderOptions,
): Promise<GuardedProcess> {
  const flags = ['--kubeconfig', kubeconfig, '--mode', 'replace']
  flags.push(...(endpointSelectors ? ['--endpoint-selectors', 'true'] : ['--managed-by', IN_TREE_CONTROLLER]))
  if (window !== undefined) flags.push('--coalescing-window', String(window))
  if (record !== undefined) flags.push('--record', record)
  return startRun(flags, main)
}

/** Starts `sliceflow run`, by default as it was built, and waits until it is ready. */
export const startRun = (flags: readonly string[], main = BUILT): Promise<GuardedProcess> =>
  startGuarded('sliceflow', [main, 'run', ...flags], /^ready/m)
