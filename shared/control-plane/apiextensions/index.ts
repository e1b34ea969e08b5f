import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import type { RuleCompiler } from '../cel/index.ts'
import { LazyCel } from '../cel/lazy-cel.ts'
import { CustomResourceController } from './controller.ts'
import { customResourceDefinitions } from './definition.ts'

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io'

/** CustomResourceDefinitions, and what serves the resources that they define. */
export interface CustomResources {
  readonly definition: ResourceDefinition
  /** Begins to serve; returns the function that ends it. */
  start(registry: Registry, store: ObjectStore, onError: (error: unknown) => void): () => void
}

/** Loads CEL where definitions are stored already: their rules count from the start. */
export async function createCustomResources(store: ObjectStore): Promise<CustomResources> {
  const cel = new LazyCel()
  let compiler: RuleCompiler | undefined
  const rules = (): RuleCompiler => {
    compiler ??= new cel.cel.RuleCompiler()
    return compiler
  }
  const tools = { cel, rules }
  if (store.list(DEFINITIONS, '').length > 0) await cel.load()
  return {
    definition: customResourceDefinitions(tools),
    start: (registry, store, onError) => {
      const controller = new CustomResourceController({ registry, store, tools, onError })
      controller.start()
      return () => controller.stop()
    },
  }
}
