import type { WebhookPlugins } from './webhooks/index.ts'

/** The plugins of webhooks, which share their connections: made when the first one is used. */
export interface LazyWebhooks {
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
    // The server has ended meanwhile, or before: nobody else would end what begins only now.
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
