import type { Failure } from '../pipeline/index.ts'
import type { ControllerSpec } from '../spec/index.ts'
import { groupKindText } from './order.ts'

const SECRET = groupKindText({ group: '', kind: 'Secret' })

/** Returns the controllers that read Secrets, or views that are made of them. */
export function controllersOfSecrets(controllers: readonly ControllerSpec[]): ReadonlySet<ControllerSpec> {
  const kinds = new Set([SECRET])
  const found = new Set<ControllerSpec>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const controller of controllers) {
      if (!controller.sources.some((source) => kinds.has(groupKindText(source)))) continue
      found.add(controller)
      kinds.add(groupKindText(controller.target))
    }
  }
  return found
}

/** Errors end with the value that was found: logs must not have one of a Secret. */
export const withoutValue = (failure: Failure): Failure => ({
  ...failure,
  message: failure.message.replace(/, (?:found|which is) .*/s, ', found a value that may be of a Secret'),
})
