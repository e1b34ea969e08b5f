import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AdmissionRequest,
} from '../apiserver/registry/admission/types.ts'
import type { WebhookPlugins } from './webhooks/index.ts'

/** The plugins of webhooks, which share their connections: made when the first one is used. */
interface LazyWebhooks {
  load(): Promise<WebhookPlugins>
  /** Breaks off their connections, those of plugins that are still being loaded too. */
  close(): void
}

export function lazyWebhooks(make: () => Promise<WebhookPlugins>): LazyWebhooks {
  let loading: Promise<WebhookPlugins> | undefined
  let loaded: WebhookPlugins | undefined
  let isClosed = false
  const load = async (): Promise<WebhookPlugins> => {
    loaded = await make()
    // The server has ended meanwhile, or before: what begins only now would never be ended.
    if (isClosed) loaded.close()
    return loaded
  }
  return {
    load: () => {
      loading ??= load()
      return loading
    },
    close: () => {
      isClosed = true
      loaded?.close()
    },
  }
}

interface LazyPlugin {
  readonly name: string
  readonly phase: 'mutate' | 'validate'
  /** False while nothing is configured; requests then check no more than this. */
  readonly isUsed: () => boolean
  readonly load: () => Promise<AdmissionPlugin>
}

/** Creates a plugin that is loaded with the first request for it: unused, it does not slow down the start. */
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
