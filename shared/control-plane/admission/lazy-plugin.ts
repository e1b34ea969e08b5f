import type { AdmissionAttributes, AdmissionPlugin, AdmissionRequest } from '../apiserver/registry/index.ts'

export interface LazyPlugin {
  readonly name: string
  readonly phase: 'mutate' | 'validate'
  /** False while nobody has configured anything, which is all that requests ask then. */
  readonly isUsed: () => boolean
  readonly load: () => Promise<AdmissionPlugin>
}

/**
 * Creates a plugin that is loaded with the first request that it may be for. A plugin that nobody uses does
 * not slow down the start.
 */
export function lazyPlugin({ name, phase, isUsed, load }: LazyPlugin): AdmissionPlugin {
  let loading: Promise<AdmissionPlugin> | undefined
  let loaded: AdmissionPlugin | undefined
  const run = async (attributes: AdmissionAttributes): Promise<void> => {
    loading ??= load()
    loaded = await loading
    if (loaded.handles?.(attributes) ?? true) await loaded[phase]?.(attributes)
  }
  return {
    name,
    handles: (request: AdmissionRequest) => isUsed() && (loaded?.handles?.(request) ?? true),
    [phase]: run,
  }
}
