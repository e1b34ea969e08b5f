import { RuleCompiler } from '../cel/index.ts'
import type { Registry, ResourceDefinition } from '../registry/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { CustomResourceController } from './controller.ts'
import { customResourceDefinitions } from './definition.ts'

/** CustomResourceDefinitions, and what serves the resources that they define. */
export interface CustomResources {
  readonly definition: ResourceDefinition
  /** Begins to serve; returns the function that ends it. */
  start(registry: Registry, store: ObjectStore, onError: (error: unknown) => void): () => void
}

export function createCustomResources(): CustomResources {
  const tools = { rules: new RuleCompiler() }
  return {
    definition: customResourceDefinitions(tools),
    start: (registry, store, onError) => {
      const controller = new CustomResourceController({ registry, store, tools, onError })
      controller.start()
      return () => controller.stop()
    },
  }
}
