import { expect, it } from 'vitest'
import { lazyWebhooks } from './lazy-webhooks.ts'
import type { WebhookPlugins } from './webhooks/index.ts'

/** Plugins that are there once `arrive` is called, and the number of times that they were closed. */
function slowPlugins() {
  let closed = 0
  let made = 0
  const arrival = Promise.withResolvers<void>()
  const plugin = { name: 'Webhook' }
  const make = async (): Promise<WebhookPlugins> => {
    made++
    await arrival.promise
    return { mutating: plugin, validating: plugin, close: () => void closed++ }
  }
  return { make, arrive: arrival.resolve, closed: () => closed, made: () => made }
}

it('plugins are made once, and not before they are used', async () => {
  const plugins = slowPlugins()
  const webhooks = lazyWebhooks(plugins.make)
  expect(plugins.made()).toBe(0)
  plugins.arrive()
  expect(await webhooks.load()).toBe(await webhooks.load())
  expect(plugins.made()).toBe(1)
  webhooks.close()
  expect(plugins.closed()).toBe(1)
})

it('plugins that are being loaded when the server ends are closed when they are there', async () => {
  const plugins = slowPlugins()
  const webhooks = lazyWebhooks(plugins.make)
  const loading = webhooks.load()
  webhooks.close()
  plugins.arrive()
  await loading
  expect(plugins.closed()).toBe(1)
})

it('plugins that are first used after the server has ended are closed from the start', async () => {
  const plugins = slowPlugins()
  const webhooks = lazyWebhooks(plugins.make)
  webhooks.close()
  plugins.arrive()
  await webhooks.load()
  expect(plugins.closed()).toBe(1)
})
