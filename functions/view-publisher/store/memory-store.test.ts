import { describePublicationStore } from './contract.fixtures.ts'
import { createMemoryPublicationStore } from './index.ts'

describePublicationStore('in memory', async () => ({
  store: createMemoryPublicationStore(),
  close: async () => {},
}))
