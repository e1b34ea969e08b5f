import type { Subject } from '../subject.ts'
import { describeConditions } from './conditions.ts'
import { describeConfigurations } from './configurations.ts'
import { describeFailures } from './failures.ts'
import { describeMatching } from './matching.ts'
import { describeMutation } from './mutation.ts'
import { describeReservations } from './reservations.ts'
import { describeReviews } from './reviews.ts'
import { describeTimeLimits } from './time-limits.ts'
import { describeVerdicts } from './verdicts.ts'

/** Describes admission webhooks: what they are asked, and what their answers do. */
export function describeAdmissionWebhooks(subject: Subject): void {
  describeConfigurations(subject)
  describeReservations(subject)
  describeReviews(subject)
  describeVerdicts(subject)
  describeMutation(subject)
  describeMatching(subject)
  describeConditions(subject)
  describeFailures(subject)
  describeTimeLimits(subject)
}
