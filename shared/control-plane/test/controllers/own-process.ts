import { type SliceflowProcess, startSliceflowProcess } from '../../../../test/support/sliceflow-process.ts'

interface OwnProcessOptions {
  /** Files. */
  readonly kubeconfig: string
  readonly serviceAccountKey: string
  readonly flags?: readonly string[]
}

/** Starts `sliceflow control-plane --only controllers`; resolves once it is ready. */
export async function startControllersProcess({
  kubeconfig,
  serviceAccountKey,
  flags = [],
}: OwnProcessOptions): Promise<SliceflowProcess> {
  const controllers = startSliceflowProcess({
    command: 'control-plane',
    kubeconfig,
    flags: ['--only', 'controllers', '--service-account-private-key-file', serviceAccountKey, ...flags],
  })
  await controllers.ready
  return controllers
}
