import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { CRDS, definition, type Scene } from './scene.ts'
import cases from './testdata/rule-costs.json' with { type: 'json' }

interface Cause {
  readonly field: string
  readonly message: string
}

/** Shortens errors that show Go structs with their pointers, and whose members have no fixed order. */
const shown = ({ field, message }: Cause): string =>
  message.startsWith('Invalid value: {') ? `${field}: Invalid value` : `${field}: ${message}`
const sorted = (causes: readonly Cause[]): string[] => causes.map(shown).sort()

/** Describes what rules may cost by their estimates, with the bounds of schemas and without. */
export function describeRuleCosts({ place }: Scene): void {
  describe('costs of rules', () => {
    it.each(cases)('of $name', async ({ schema, causes }) => {
      const crd = definition('costs', { schema: { openAPIV3Schema: schema } })
      const { status, body }: Json = await place.client.post(`${CRDS}?dryRun=All`, crd)
      expect(sorted(status === 422 ? body.details.causes : [])).toEqual(sorted(causes))
      expect(status).toBe(causes.length > 0 ? 422 : 201)
    })
  })
}
