import { describeInstanceRegistry } from './contract.fixtures.ts'
import { createMemoryRegistry } from './index.ts'

describeInstanceRegistry('in memory', async () => ({
  registry: createMemoryRegistry(),
  close: async () => {},
}))
