import type { CallGuard } from './call-limits/call-guard.ts'
import { ConnectionError, withGrantAdvice } from './errors/errors.ts'
import type { ClientRole } from './errors/grant-advice.ts'
import { refusalOf } from './errors/refusal.ts'
import { isTooLarge, type Transport, type TransportRequest } from './transport/transport.ts'
import type { NextTurn } from './work-queue/work-queue.ts'

/** Sends requests when the guard lets them go, and reads the JSON that answers them. */
export interface Caller {
  /** @throws KubernetesError */
  call<T>(request: TransportRequest): Promise<T>
  /**
   * Calls the server; returns undefined if the answer is larger than it may be. The server is well, so that
   * its guard notes no failure.
   */
  callWithin<T>(request: TransportRequest, reading?: Reading): Promise<Answer<T> | undefined>
}

/** How an answer is read that has arrived. Default: at once, and all of it. */
interface Reading {
  /** Awaited before. */
  readonly nextTurn?: NextTurn | undefined
  /** Transforms its JSON before it is parsed. */
  readonly edit?: ((json: string) => string) | undefined
}

export interface Answer<T> {
  readonly body: T
  /** Size of its JSON, about. */
  readonly bytes: number
}

interface CallerOptions {
  readonly transport: Transport
  readonly guard: CallGuard
  readonly timeoutMs: number
  readonly role?: ClientRole | undefined
}

export function createCaller({ transport, guard, timeoutMs, role }: CallerOptions): Caller {
  return {
    call<T>(request: TransportRequest) {
      return guard(request, async () => {
        const response = await transport.send(request, timeoutMs)
        if (response.status >= 400) throw withGrantAdvice(refusalOf(request.action, response), role)
        return parse<T>(request.action, response.text)
      })
    },

    callWithin<T>(request: TransportRequest, { nextTurn, edit = whole }: Reading = {}) {
      return guard(request, async () => {
        const response = await transport.send(request, timeoutMs).catch(tooLarge)
        if (response === undefined) return undefined
        await nextTurn?.()
        if (response.status >= 400) throw withGrantAdvice(refusalOf(request.action, response), role)
        return { body: parse<T>(request.action, edit(response.text)), bytes: response.text.length }
      })
    },
  }
}

const whole = (json: string): string => json

function tooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error
}

function parse<T>(action: string, text: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError(`failed to ${action}: the answer is not JSON`, 'EBADMESSAGE', cause)
  }
}
