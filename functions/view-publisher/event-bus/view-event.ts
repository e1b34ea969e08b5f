import type { ViewObject } from '../../../shared/views/index.ts'
import type { Delivery } from '../sink.ts'
import { type BusEvent, MAX_REQUEST_BYTES, sizeOf } from './event-bus.ts'

/** `source` of every event. */
const EVENT_SOURCE = 'sliceflow'

/** `detail` of an event on the bus; its `detail-type` is `View Object Added`, `… Updated` or `… Deleted`. */
export interface ViewEventDetail {
  /** Version of this form; fields may be added to it. */
  readonly v: 1
  readonly type: 'Added' | 'Updated' | 'Deleted'
  readonly cluster: string
  readonly namespace: string
  /** The Service that the view object was made of. */
  readonly service: string
  readonly operator: string
  /**
   * Grows with every change of the Service's views. Buses deliver twice and out of order: a stateful consumer
   * ignores an event of an object if it has seen this or a later version.
   */
  readonly version: number
  /** Object as it is now; for `Deleted` as it was last. */
  readonly object: ViewObject | ObjectStub
  /** Object before an `Updated`. It is left out if the event would be too large with it. */
  readonly old?: ViewObject
  /** True where the event would be too large with the object: only what names it is there. */
  readonly truncated?: true
}

/** Identity of a view object. */
type ObjectStub = Pick<ViewObject, 'apiVersion' | 'kind' | 'metadata'>

/** Makes the events of a delivery, in the order of its deltas; none is larger than a bus takes. */
export function viewEvents({ key, operator, version, deltas }: Delivery, time: Date): BusEvent[] {
  const { cluster, namespace, service } = key
  return deltas.map(({ type, object, old }) => {
    const detail: ViewEventDetail = { v: 1, type, cluster, namespace, service, operator, version, object }
    const whole = busEvent(old === undefined || type !== 'Updated' ? detail : { ...detail, old }, time)
    if (sizeOf(whole) <= MAX_REQUEST_BYTES) return whole
    const withoutOld = busEvent(detail, time)
    if (sizeOf(withoutOld) <= MAX_REQUEST_BYTES) return withoutOld
    return busEvent({ ...detail, object: stubOf(object), truncated: true }, time)
  })
}

const stubOf = ({ apiVersion, kind, metadata: { namespace, name } }: ViewObject): ObjectStub => ({
  apiVersion,
  kind,
  metadata: namespace === undefined ? { name } : { namespace, name },
})

const busEvent = (detail: ViewEventDetail, time: Date): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: `View Object ${detail.type}`,
  detail: JSON.stringify(detail),
  time,
})
