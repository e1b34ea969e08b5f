import { sameJson } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

/**
 * Which webhooks are called in the second round: those that ask for it and after whom the object was changed
 * by others.
 */
export class ReinvokedWebhooks {
  readonly #due = new Set<string>()
  readonly #called = new Set<string>()
  #output: KubeObject | undefined

  isDue(uid: string): boolean {
    return this.#due.has(uid)
  }

  /** To be told after a webhook that wants to see later changes was called. */
  called(uid: string): void {
    this.#called.add(uid)
  }

  /** To be told of a change by a webhook, before it counts as called itself. */
  changed(): void {
    for (const uid of this.#called) this.#due.add(uid)
    this.#called.clear()
  }

  /** What the webhooks of a round have made of the object. */
  finished(object: KubeObject | undefined): void {
    this.#output = object
  }

  /** To be told what the webhooks of the second round get: other plugins may have changed it meanwhile. */
  begin(object: KubeObject | undefined): void {
    if (!sameJson(object, this.#output)) this.changed()
  }
}
