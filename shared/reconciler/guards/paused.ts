import { ANNOTATION_PAUSED, type PausedSelection } from '../../changes/index.ts'
import { ownerOfKind, type Service } from '../../endpointslice/index.ts'
import type { ServiceEvent } from '../service-events.ts'
import type { Guard } from './guard.ts'

/** Acts before there is a plan: nothing of a Service that is paused is read. */
export const PAUSED_GUARD: Guard<'Paused'> = {
  name: 'paused',
  events: {
    Paused:
      'the Service is paused by `sliceflow.dev/paused`: nothing is written, and what is published stays',
  },
}

/** Says that nothing is written for a Service, since when, and what ends that. */
export const pausedReason = (
  { kind, metadata: { namespace, name } = {} }: Pick<Service, 'kind' | 'metadata'>,
  { since }: Pick<PausedSelection, 'since'>,
): string =>
  `it is paused${since === undefined ? '' : ` since ${since}`}: nothing is written, and what is published stays, until \`kubectl annotate ${ownerOfKind(kind).kind.toLowerCase()} --namespace ${namespace} ${name} ${ANNOTATION_PAUSED}-\``

export const pausedEvent = (
  service: Pick<Service, 'kind' | 'metadata'>,
  paused: PausedSelection,
): ServiceEvent<'Paused'> => ({
  type: 'Normal',
  reason: 'Paused',
  message: pausedReason(service, paused),
})
