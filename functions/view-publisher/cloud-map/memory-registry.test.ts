import { describeInstanceRegistry } from './contract.fixtures.ts'
import { createMemoryRegistry } from './memory-registry.fixtures.ts'

describeInstanceRegistry('in memory', async () => ({
  registry: createMemoryRegistry(),
  close: async () => {},
}))
