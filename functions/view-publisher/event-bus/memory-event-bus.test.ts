import { describeEventBus } from './contract.fixtures.ts'
import { createMemoryEventBus } from './index.ts'

describeEventBus('in memory', async () => {
  const bus = createMemoryEventBus()
  return { bus, received: async () => bus.events, close: async () => {} }
})
