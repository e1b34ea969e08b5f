import { open } from 'node:fs/promises'
import { dot, loadSpecFile, mermaid, type OperatorSpec } from '../../../shared/views/index.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { terminalOf } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS, type ViewsFlags } from './command.ts'
import { explainEvents, pipeEvents } from './events.ts'
import { documentFormat, type FormatOutcome } from './output.ts'
import { tableFormat } from './table.ts'

/** @throws UsageError if the flags do not go together, SpecError if the spec cannot be used */
export async function runViews(flags: Flags): Promise<void> {
  const groups = groupFlags(flags, GROUPS)
  const { source, printed } = groups
  const { events } = source
  const { graph } = printed
  checkFlags(groups)
  const spec = await loadSpec(groups.spec.spec, groups.named.operatorName)
  if (graph !== undefined) process.stdout.write(graph === 'dot' ? dot(spec) : mermaid(spec))
  else if (events !== undefined) await runEvents(spec, events, printed)
  else {
    const { followViews } = await import('./cluster.ts')
    await followViews(spec, groups, formatOf(printed))
  }
}

function checkFlags({ source, printed, served }: ViewsFlags): void {
  const { serve, kubeconfigOut } = served
  const isOfCluster = source.kubeconfig !== undefined
  if (printed.graph === undefined && source.events === undefined && !isOfCluster)
    throw new UsageError('views: name the source of changes with --kubeconfig FILE or --events -')
  if (serve !== undefined && !isOfCluster)
    throw new UsageError('views: --serve shows the views of a cluster; name it with --kubeconfig FILE')
  if (kubeconfigOut !== undefined && serve === undefined)
    throw new UsageError('views: --kubeconfig-out needs --serve')
}

const formatOf = ({ output }: ViewsFlags['printed']): FormatOutcome =>
  output === 'table' ? tableFormat(terminalOf(process.stdout)) : documentFormat(output)

async function runEvents(spec: OperatorSpec, events: string, printed: ViewsFlags['printed']): Promise<void> {
  const { explain } = printed
  const input = events === '-' ? process.stdin : await openEvents(events)
  if (explain === undefined) await pipeEvents(spec, input, process.stdout, formatOf(printed))
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

async function loadSpec(spec: string, operatorName: string): Promise<OperatorSpec> {
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
