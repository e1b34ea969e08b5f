import { describePublicationStore } from './contract.fixtures.ts'
import { createMemoryPublicationStore } from './memory-store.fixtures.ts'

describePublicationStore('in memory', async () => ({
  store: createMemoryPublicationStore(),
  close: async () => {},
}))
