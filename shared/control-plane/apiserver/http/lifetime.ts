import type { RequestLifetime } from '../registry/admission/types.ts'
import type { Response } from './exchange.ts'

/** Time for which a client waits for the answer of a request. */
export class Lifetime implements RequestLifetime {
  readonly #response: Response
  #controller: AbortController | undefined
  #isOver = false
  #deadline = Number.POSITIVE_INFINITY

  constructor(response: Response) {
    this.#response = response
    response.once('close', () => {
      this.#isOver = true
      this.#controller?.abort()
    })
  }

  /** True once the answer has been sent, or its client has gone. */
  get isOver(): boolean {
    return this.#isOver
  }

  get deadline(): number {
    return this.#deadline
  }

  /** Made for those who ask for it: most requests are answered without. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isOver) this.#controller.abort()
    return this.#controller.signal
  }

  /** Calls back when there is no answer after a time in milliseconds. */
  limit(milliseconds: number, late: () => void): void {
    this.#deadline = performance.now() + milliseconds
    const timer = setTimeout(late, milliseconds)
    this.#response.once('close', () => clearTimeout(timer))
  }
}
