import type { Registry } from '../registry.ts'

/** Address of a server. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** Work of a resource beside requests: it keeps objects that every server has, or that follow others. */
export interface Lifecycle {
  /**
   * Starts once all resources are there, before requests are; tells `onError` what fails later on. Returns a
   * function that ends it.
   */
  start?(registry: Registry, onError: (error: unknown) => void): (() => void) | undefined
  /** Called each time that the server begins to listen. */
  listening?(registry: Registry, address: ServerAddress): void
}
