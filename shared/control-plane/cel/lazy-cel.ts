/** The module of CEL. */
export type Cel = typeof import('./index.ts')

/** CEL, which is loaded when the first object with expressions is written, and not at the server's start. */
export class LazyCel {
  #loading: Promise<void> | undefined
  #loaded: Cel | undefined

  /** Loads it; undefined once it is loaded. */
  load(): Promise<void> | undefined {
    if (this.#loaded) return undefined
    this.#loading ??= import('./index.ts').then((cel) => {
      this.#loaded = cel
    })
    return this.#loading
  }

  /** Throws Error before it has been loaded. */
  get cel(): Cel {
    if (this.#loaded) return this.#loaded
    throw new Error('failed to read expressions: CEL has not been loaded; wait for load() before the write')
  }
}
