import { describe } from 'vitest'
import { describeRefusals } from '../refusals.ts'
import type { Subject } from '../subject.ts'
import { describeFlowControlObjects } from './objects.ts'

/** Describes flow schemas and priority levels (KEP-1040) as objects: they queue nothing here. */
export function describeFlowControl(subject: Subject): void {
  describe('flow control', () => {
    describeFlowControlObjects(subject)
    describeRefusals(subject, 'flow-control')
  })
}
