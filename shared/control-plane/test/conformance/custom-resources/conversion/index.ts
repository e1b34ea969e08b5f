import { describe } from 'vitest'
import type { Scene } from '../scene.ts'
import { describeConvertedDefinitions } from './definitions.ts'
import { describeFailures } from './failures.ts'
import { describeFieldOwners } from './field-owners.ts'
import { describeConvertedObjects } from './objects.ts'
import { useConversionScene } from './scene.ts'

/** Describes versions that a webhook converts (`spec.conversion.strategy: Webhook`). */
export function describeConversion(scene: Scene): void {
  describe('conversion by webhook', () => {
    const conversion = useConversionScene(scene)
    describeConvertedObjects(conversion)
    describeFailures(conversion)
    describeFieldOwners(conversion)
    describeConvertedDefinitions(conversion)
  })
}
