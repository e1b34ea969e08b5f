import { open } from 'node:fs/promises'
import { dot, loadSpecFile, mermaid, type OperatorSpec } from '../../../../shared/views/index.ts'
import { UsageError } from '../../usage.ts'
import { explainEvents, pipeEvents } from './events.ts'
import { documentFormat, type FormatOutcome } from './output.ts'

/** The flags of `views`. */
export interface ViewsOptions {
  readonly spec: string
  readonly kubeconfig?: string
  readonly context?: string
  /** A file, or `-` for standard input. */
  readonly events?: string
  /** `namespace/name` of a view object. */
  readonly explain?: string
  readonly graph?: 'mermaid' | 'dot'
  /** Port; true: any. */
  readonly serve?: number | true
  readonly kubeconfigOut?: string
  readonly operatorName: string
  readonly output: 'json' | 'yaml' | 'table'
}

/** @throws UsageError if the flags do not go together, SpecError if the spec cannot be used */
export async function runViews(options: ViewsOptions): Promise<void> {
  const { graph, events, kubeconfig } = options
  checkFlags(options)
  const spec = await loadSpec(options)
  if (graph !== undefined) process.stdout.write(graph === 'dot' ? dot(spec) : mermaid(spec))
  else if (events !== undefined) await runEvents(spec, events, options)
  else if (kubeconfig !== undefined) {
    const { followViews } = await import('./cluster.ts')
    const { context, explain, serve, kubeconfigOut = 'views.kubeconfig' } = options
    const port = serve === true ? 0 : serve
    await followViews(spec, {
      ...{ kubeconfig, context, explain, serve: port, kubeconfigOut },
      format: await formatOf(options),
    })
  }
}

function checkFlags({ graph, events, kubeconfig, serve, kubeconfigOut }: ViewsOptions): void {
  if (graph === undefined && events === undefined && kubeconfig === undefined)
    throw new UsageError('views: name the source of changes with --kubeconfig FILE or --events -')
  if (serve !== undefined && kubeconfig === undefined)
    throw new UsageError('views: --serve shows the views of a cluster; name it with --kubeconfig FILE')
  if (kubeconfigOut !== undefined && serve === undefined)
    throw new UsageError('views: --kubeconfig-out needs --serve')
}

async function formatOf({ output }: ViewsOptions): Promise<FormatOutcome> {
  if (output !== 'table') return documentFormat(output)
  const [{ tableFormat }, { terminalOf }] = await Promise.all([
    import('./table.ts'),
    import('../../../terminal/index.ts'),
  ])
  return tableFormat(terminalOf(process.stdout))
}

async function runEvents(spec: OperatorSpec, events: string, options: ViewsOptions): Promise<void> {
  const { explain } = options
  const input = events === '-' ? process.stdin : await openEvents(events)
  if (explain === undefined) await pipeEvents(spec, input, process.stdout, await formatOf(options))
  else process.stdout.write(await explainEvents(spec, input, explain))
}

async function openEvents(file: string): Promise<NodeJS.ReadableStream> {
  try {
    const handle = await open(file)
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream()
    await handle.close()
    throw new Error('it is a directory')
  } catch (error) {
    throw new Error(
      `failed to read the changes ${file}: ${(error as Error).message}; name a readable file with --events, or - for standard input`,
    )
  }
}

async function loadSpec({ spec, operatorName }: ViewsOptions): Promise<OperatorSpec> {
  try {
    return await loadSpecFile(spec, { name: operatorName })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    throw new Error(
      `failed to read the spec ${spec}: ${(error as Error).message}; name a readable file with --spec`,
    )
  }
}
