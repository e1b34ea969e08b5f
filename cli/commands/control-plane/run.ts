import { type FileHandle, open } from 'node:fs/promises'
import type { Command } from 'commander'
import type {
  AuditEvent,
  AuditSink,
  builtinResources,
  ControlPlane,
  ResourceDefinition,
} from '../../../shared/control-plane/index.ts'
import { assertOwnFile, type FileKind } from '../../../shared/files/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { assertKubeconfigFile, writeKubeconfig } from '../../clusters/write-kubeconfig.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { untilTerminated } from '../../signals.ts'
import { UsageError } from '../../usage.ts'
import { authenticationOf } from './authentication.ts'
import { checkControlPlaneFlags } from './check-flags.ts'
import { type ControlPlaneFlags, GROUPS } from './command.ts'
import { runControllers } from './controllers.ts'

export async function runControlPlane(all: Flags, command: Command): Promise<void> {
  checkControlPlaneFlags(command)
  const flags = groupFlags(all, GROUPS)
  const { only, kubeconfigOut } = flags.served
  if (only === 'controllers') return await runControllers(flags.controllers)
  await assertKubeconfigFile(kubeconfigOut)
  const terminated = untilTerminated()
  // Loaded when it is needed: certificates and schemas would slow down every --help.
  const library = await import('../../../shared/control-plane/index.ts')
  const resources = resourcesOf(library.builtinResources, flags)
  const { auditLog } = flags.tuning
  const audit = auditLog === undefined ? undefined : await openAuditLog(auditLog)
  const controlPlane = await openControlPlane(flags, resources, audit?.note)
  try {
    const { url } = await listen(controlPlane, flags.served)
    await writeKubeconfig(kubeconfigOut, controlPlane.kubeconfig)
    process.stdout.write(`ready: ${url} kubeconfig ${kubeconfigOut}\n`)
    await terminated
  } finally {
    await controlPlane.close()
    await audit?.close()
  }
  process.exit(0)
}

async function openControlPlane(
  flags: ControlPlaneFlags,
  resources: readonly ResourceDefinition[],
  audit: AuditSink | undefined,
): Promise<ControlPlane> {
  const { only, data: dataDir } = flags.served
  const { eventTtl: eventTtlSeconds, requestTimeout: timeoutSeconds } = flags.tuning
  const { maxRequestsInflight: reads, maxMutatingRequestsInflight: writes } = flags.tuning
  const { CONTROLLERS, createControlPlane } = await import('../../../shared/control-plane/index.ts')
  const authentication = await authenticationOf(flags)
  try {
    return await createControlPlane({
      apis: { resources, crds: true, apiServices: true },
      storage: { dataDir, eventTtlSeconds },
      authentication,
      authorization: 'RBAC',
      controllers: only === 'apiserver' ? [] : CONTROLLERS,
      limits: { reads, writes, timeoutSeconds },
      observer: {
        audit,
        onError: (error) => process.stderr.write(`sliceflow: ${errorMessage(error)}\n`),
      },
    })
  } catch (error) {
    throw new Error(`failed to start the control plane: ${errorMessage(error)}`, { cause: error })
  }
}

/** @throws UsageError where no addresses can come from the ranges, or only Services would use them */
function resourcesOf(
  make: typeof builtinResources,
  { served, tuning }: ControlPlaneFlags,
): readonly ResourceDefinition[] {
  const ranges = tuning.serviceClusterIpRange?.split(',').map((range) => range.trim())
  if (served.resources === 'generic' && ranges !== undefined)
    throw new UsageError('--service-cluster-ip-range goes with --resources services')
  if (ranges?.includes(''))
    throw new UsageError(
      '--service-cluster-ip-range has an extra comma: give one block, or one of each family',
    )
  try {
    return make(served.resources, ranges)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(`--service-cluster-ip-range: ${error.message}`)
  }
}

async function listen(
  controlPlane: ControlPlane,
  { bindAddress: host, port, name: context }: ControlPlaneFlags['served'],
): Promise<{ url: string }> {
  try {
    return await controlPlane.listen({ host, port, context })
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const other = taken ? '--port' : '--bind-address'
    throw new Error(`failed to listen on ${host}:${port}: ${errorMessage(error)}; choose another ${other}`)
  }
}

const AUDIT_LOG: FileKind = {
  name: 'an audit log',
  begins: /^\{"kind":"Event","apiVersion":"audit\.k8s\.io\//,
  mode: 0o600,
}

/**
 * Opens the audit log. Lines are written one after the other in the background. While they cannot be written,
 * as on a full disk, they are lost, stderr says so once, and requests go on. @throws if the file cannot be
 * opened
 */
async function openAuditLog(file: string) {
  const log = await openAppended(file)
  let writing = Promise.resolve()
  /** Ends the line that a failed write may have begun. */
  let before = ''
  async function write(event: AuditEvent): Promise<void> {
    try {
      await log.appendFile(`${before}${JSON.stringify(event)}\n`)
      before = ''
    } catch (error) {
      if (before === '')
        process.stderr.write(`sliceflow: failed to write the audit log ${file}: ${errorMessage(error)}\n`)
      before = '\n'
    }
  }
  return {
    note: ((event) => {
      writing = writing.then(() => write(event))
    }) satisfies AuditSink,
    /** Resolves once all that was noted is written, or cannot be. */
    async close(): Promise<void> {
      await writing
      await log.close()
    },
  }
}

async function openAppended(file: string): Promise<FileHandle> {
  try {
    await assertOwnFile(file, AUDIT_LOG)
    return await open(file, 'a', 0o600)
  } catch (error) {
    throw new Error(`failed to open the audit log ${file}: ${errorMessage(error)}`)
  }
}
