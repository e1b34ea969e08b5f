import {
  GetOperationCommand,
  OperationNotFound,
  type ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import { SinkError } from '../sink.ts'

/**
 * Resolves once an operation has ended; `what` is verb and object, for the error.
 * @throws SinkError when it failed
 */
type UntilDone = (operation: string | undefined, what: string, signal: AbortSignal) => Promise<void>

/** @param backoff delay between polls of a running operation */
export function createUntilDone(client: ServiceDiscoveryClient, backoff: Backoff): UntilDone {
  /** Waits until an operation is done. Registering and deregistering go on after they are answered. */
  async function untilDone(operation: string | undefined, what: string, signal: AbortSignal): Promise<void> {
    if (operation === undefined) return
    for (let attempt = 0; ; attempt++) {
      const { status, error } = await stateOf(operation, signal)
      if (status === 'SUCCESS') return
      if (status === 'FAIL') throw new SinkError(`failed to ${what}: ${error}`)
      await sleepUnlessAborted(backoffDelay(attempt, backoff), signal)
      signal.throwIfAborted()
    }
  }

  async function stateOf(OperationId: string, abortSignal: AbortSignal) {
    try {
      const { Operation } = await client.send(new GetOperationCommand({ OperationId }), { abortSignal })
      return { status: Operation?.Status, error: Operation?.ErrorMessage }
    } catch (error) {
      // Operations are forgotten some time after they have ended.
      if (error instanceof OperationNotFound) return { status: 'SUCCESS', error: undefined } as const
      throw error
    }
  }

  return untilDone
}
