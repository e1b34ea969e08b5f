import type { Endpoint } from '../../shared/endpointslice/index.ts'
import { printable } from '../../shared/telemetry/index.ts'
import { columns, counted } from '../explain/index.ts'
import type { PublishedReport, PublishedSlice } from './published.ts'

/** Writes the report for people: the Service, and a table for each of its slices. */
export function describePublished(report: PublishedReport): string {
  const { cluster, namespace, service, at, lastRecord, slices } = report
  const endpoints = slices.flatMap((slice) => slice.endpoints)
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false)
  const published = `${counted(slices.length, 'slice')}, ${counted(endpoints.length, 'endpoint')}, ${ready.length} ready`
  return [
    ...columns([
      ['Service:', `${namespace}/${service}`],
      ['Cluster:', cluster],
      ['At:', at],
      ['Published:', lastRecord === undefined ? 'not known: the first record is later' : published],
      ...(lastRecord === undefined ? [] : [['Known by:', `records up to ${lastRecord}`]]),
    ]),
    ...slices.flatMap((slice) => ['', ...describeSlice(slice)]),
    '',
  ]
    .map(printable)
    .join('\n')
}

function describeSlice({
  slice,
  version,
  time,
  addressType,
  ports,
  endpoints,
  isCertain,
}: PublishedSlice): string[] {
  const numbers = ports.map(
    ({ name, port, protocol }) => `${name || '-'} ${port ?? 'all'}/${protocol ?? 'TCP'}`,
  )
  const title = `${slice}: ${addressType}, ports ${numbers.join(', ') || 'none'}, version ${version} since ${time}`
  const doubt = isCertain
    ? []
    : ['  not certain, as records are missing: endpoints may be missing or too many, or the slice is gone']
  return [title, ...doubt, ...columns([HEADER, ...endpoints.map(rowOf)], '  ')]
}

const HEADER = ['ADDRESSES', 'OBJECT', 'NODE', 'ZONE', 'CONDITIONS']

function rowOf({ addresses, targetRef, nodeName, zone, conditions = {} }: Endpoint): string[] {
  const { ready, serving, terminating } = conditions
  const words = [
    ready === false ? 'not ready' : 'ready',
    ...(serving === undefined || serving === (ready !== false) ? [] : [serving ? 'serving' : 'not serving']),
    ...(terminating === true ? ['terminating'] : []),
  ]
  return [addresses.join(','), targetRef?.name ?? '-', nodeName ?? '-', zone ?? '-', words.join(', ')]
}
