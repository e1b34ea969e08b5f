import { describeEventBus } from './contract.fixtures.ts'
import { createMemoryEventBus } from './memory-event-bus.fixtures.ts'

describeEventBus('in memory', async () => {
  const bus = createMemoryEventBus()
  return { bus, received: async () => bus.events, close: async () => {} }
})
