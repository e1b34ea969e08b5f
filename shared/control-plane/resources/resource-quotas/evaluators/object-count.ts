import { Quantity } from '../../../apimachinery/quantity/index.ts'
import type { Evaluator } from './evaluator.ts'

/** Names that are older than `count/…`. */
const ALIASES: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
])

/** Counts objects of any resource, named as `configmaps` or `databases.example.org`. */
export function objectCount(resource: string): Evaluator {
  const names = [`count/${resource}`, ...(ALIASES.has(resource) ? [resource] : [])]
  return {
    uniform: true,
    matching: (wanted) => [...new Set(wanted)].filter((name) => names.includes(name)).sort(),
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    constraint: () => undefined,
    usage: () => new Map(names.map((name) => [name, Quantity.of(1)])),
    inScope: () => false,
  }
}
