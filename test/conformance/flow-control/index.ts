import { describe } from 'vitest'
import type { Subject } from '../subject.ts'
import { describeFlowControlObjects } from './objects.ts'
import { describeFlowControlValidation } from './validation.ts'

/** Flow schemas and priority levels (KEP-1040), as objects: nothing is queued by them here. */
export function describeFlowControl(subject: Subject): void {
  describe('flow control', () => {
    describeFlowControlObjects(subject)
    describeFlowControlValidation(subject)
  })
}
