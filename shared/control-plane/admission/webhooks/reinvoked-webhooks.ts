import { sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

/** Webhooks of the second round: those that ask for it, after which others changed the object. */
export class ReinvokedWebhooks {
  readonly #due = new Set<string>()
  readonly #called = new Set<string>()
  #output: KubeObject | undefined

  isDue(uid: string): boolean {
    return this.#due.has(uid)
  }

  /** Notes that a webhook was called that wants to see later changes. */
  called(uid: string): void {
    this.#called.add(uid)
  }

  /** Notes a change by a webhook. Call it before `called`. */
  changed(): void {
    for (const uid of this.#called) this.#due.add(uid)
    this.#called.clear()
  }

  /** Notes the object as the webhooks of a round have left it. */
  finished(object: KubeObject | undefined): void {
    this.#output = object
  }

  /** Notes the object that the second round's webhooks get: other plugins may have changed it meanwhile. */
  begin(object: KubeObject | undefined): void {
    if (!sameJson(object, this.#output)) this.changed()
  }
}
