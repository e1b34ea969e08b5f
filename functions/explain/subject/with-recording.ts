import type { ObjectReport, PublicationReport, RecordedEvent, SubjectReport } from './report.ts'

/** Adds the data of a recording: the events, and the exact time of the last change of each endpoint. */
export const withRecording = (report: SubjectReport, events: readonly RecordedEvent[]): SubjectReport => ({
  ...report,
  recorded: events,
  objects: report.objects.map((object) => ({
    ...object,
    services: object.services.map((service) => datedBy(service, object, events)),
  })),
})

function datedBy(
  service: PublicationReport,
  object: ObjectReport,
  events: readonly RecordedEvent[],
): PublicationReport {
  const last = events.findLast(
    (event) =>
      event.cluster === service.cluster &&
      event.namespace === service.namespace &&
      event.service === service.service &&
      isOfSlices(event, service) &&
      (event.pod === undefined ? sharesAddress(event, object) : isPod(event, service, object)),
  )
  const isThere = service.slices.length > 0
  // A record that says otherwise is not the last word: somebody else has written since.
  if (last === undefined || (last.event === 'Left') === isThere || last.event === 'Found') return service
  return { ...service, since: { time: last.time, by: 'Recording' } }
}

/** An import has the name of a Service of its cluster, whose records are others. */
const isOfSlices = ({ slice }: RecordedEvent, { outcome, slices }: PublicationReport): boolean =>
  outcome !== 'Imported' || slices.some(({ name }) => name === slice)

/** Endpoints name Pods of their own cluster only. */
const isPod = ({ pod }: RecordedEvent, { cluster }: PublicationReport, object: ObjectReport): boolean =>
  pod === object.name && cluster === object.cluster

const sharesAddress = (event: RecordedEvent, { addresses }: ObjectReport): boolean =>
  event.addresses.some((address) => addresses.includes(address))
