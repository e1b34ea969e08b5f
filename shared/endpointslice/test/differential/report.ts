import type { EndpointSlice, Pod } from '../../index.ts'
import type { Difference } from './compare/index.ts'
import { ourOutcome } from './ours.ts'
import type { TestCase } from './test-case.ts'

/** Describes a case and its differences, for somebody who looks for the cause. */
export function describeFinding(testCase: TestCase, differences: readonly Difference[]): string {
  const { service, pods, nodes, slices, maxEndpointsPerSlice, triggerTime = 'none' } = testCase
  return [
    `case ${testCase.id}: at most ${maxEndpointsPerSlice} endpoints a slice, trigger time ${triggerTime}`,
    `service ${text(service)}`,
    ...nodes.map((node) => `node ${text(node)}`),
    ...pods.map(podLine),
    ...slices.map(sliceLine),
    'differences:',
    ...differences.flatMap(differenceLines),
    'what plan() does:',
    ...ourLines(testCase),
    `as JSON: ${text(testCase)}`,
  ].join('\n  ')
}

const text = (value: unknown): string => JSON.stringify(value)

const podLine = ({ metadata, spec, status }: Pod): string =>
  `pod ${metadata?.name} ${text({ ...metadata, name: undefined, namespace: undefined })} ${text(spec)} ${text(status)}`

function sliceLine({ metadata, addressType, ports, endpoints }: EndpointSlice): string {
  const { name, labels, annotations, ownerReferences } = metadata ?? {}
  const owners = (ownerReferences ?? []).map(({ kind, uid }) => `${kind} ${uid}`).join(', ') || 'nobody'
  const lines = (endpoints ?? []).map((endpoint) => `\n    - ${text(endpoint)}`)
  return `slice ${name} ${addressType} ${text(ports)} labels ${text(labels)} annotations ${text(annotations)} owned by ${owners}${lines.join('')}`
}

function differenceLines({ aspect, addressType, onlyUpstream, onlyOurs }: Difference): string[] {
  return [
    `* ${aspect} ${addressType}`,
    ...onlyUpstream.map((line) => `    upstream  ${line}`),
    ...onlyOurs.map((line) => `    plan()    ${line}`),
  ]
}

function ourLines(testCase: TestCase): string[] {
  if (testCase.slices.length + testCase.pods.length === 0) return []
  const { create, update, delete: removed, events, error } = ourOutcome(testCase)
  return [
    ...create.map((slice) => `create ${sliceLine(slice)}`),
    ...update.map((slice) => `update ${sliceLine(slice)}`),
    ...removed.map((name) => `delete ${name}`),
    ...events,
    ...(error === '' ? [] : [error]),
  ]
}
