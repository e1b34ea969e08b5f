/** An instance of a Cloud Map service. */
export interface Instance {
  /** Id of at most 64 characters. */
  readonly id: string
  readonly attributes: Readonly<Record<string, string>>
}

/** The part of a service registry that is needed here, for the services of one namespace of it. */
export interface InstanceRegistry {
  readonly name: string
  /** Lists every instance of a service; none if there is no such service. */
  list(service: string, signal: AbortSignal): Promise<readonly Instance[]>
  /** Makes the instance as given, and its service if there is none; `list` shows it once this resolves. */
  register(service: string, instance: Instance, signal: AbortSignal): Promise<void>
  /** Takes the instance away, if it is there; `list` no longer shows it once this resolves. */
  deregister(service: string, id: string, signal: AbortSignal): Promise<void>
}
