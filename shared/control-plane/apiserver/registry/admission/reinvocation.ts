/**
 * Mutating plugins run a second time when one of them asks for that because it has changed the object after
 * others had run. Each plugin decides for itself what it does in the second round (KEP-1872 calls it the
 * reinvocation policy).
 */
export class Reinvocation {
  readonly #states = new Map<object, unknown>()
  #wanted = false
  #again = false

  /** True in the second round. */
  get again(): boolean {
    return this.#again
  }

  /** Asks for a second round; there is never a third. */
  request(): void {
    this.#wanted = true
  }

  /** Returns what a plugin keeps from one round to the next, made by `create` at the first call. */
  state<State>(owner: { readonly create: () => State }): State {
    const known = this.#states.get(owner)
    if (known !== undefined) return known as State
    const state = owner.create()
    this.#states.set(owner, state)
    return state
  }

  /** Begins the second round, if a plugin has asked for it. */
  begin(): boolean {
    this.#again = this.#wanted
    return this.#again
  }
}
