import type { Registry } from '../registry.ts'

/** Where a server can be reached. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/**
 * What a resource does by itself, beside requests: it keeps objects that every server has, or that follow
 * others.
 */
export interface Lifecycle {
  /**
   * Once all resources are there, before requests are; tells `onError` what fails later on. What it returns
   * ends it.
   */
  start?(registry: Registry, onError: (error: unknown) => void): (() => void) | undefined
  /** Each time that the server begins to listen. */
  listening?(registry: Registry, address: ServerAddress): void
}
