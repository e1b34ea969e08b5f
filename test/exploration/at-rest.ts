import type { EndpointSlice, Node, Pod, Service } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { checkSlices } from '../support/world/index.ts'
import { describeCall, isWrite } from './calls.ts'
import { createProcessModel, type ProcessModel } from './process.ts'
import { CLUSTER, FIRST_MS, type Scenario } from './scenario.ts'
import { answer, NO_VIEW, objectsOf, type SimulatedCluster } from './simulated-api.ts'

/** Returns the pods that have endpoints in more than one slice. */
export function podsTwice(cluster: SimulatedCluster): string[] {
  const slices = objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural)
  const pods = slices.flatMap(({ endpoints = [] }) => endpoints.map(({ targetRef }) => targetRef?.name ?? ''))
  return pods
    .filter((pod, index) => pods.indexOf(pod) < index)
    .map((pod) => `pod ${pod} stands in two slices`)
}

/** Compares the slices with an independent computation. Returns what is wrong. */
export function wrongSlices({ settings }: Scenario, cluster: SimulatedCluster): string[] {
  return checkSlices({
    services: objectsOf<Service>(cluster, SERVICES.plural),
    pods: objectsOf<Pod>(cluster, PODS.plural),
    nodes: objectsOf<Node>(cluster, NODES.plural),
    slices: objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural),
    ...settings,
  })
}

interface Reconciled {
  readonly cluster: SimulatedCluster
  readonly writes: readonly string[]
}

/** Reconciles once more, alone, as a sweep asks for it. */
export const reconcileOnce = (
  scenario: Scenario,
  start: SimulatedCluster,
  model?: ProcessModel,
): Promise<Reconciled> => {
  const { namespace, name } = scenario.service
  return deliverOnce(scenario, start, { cluster: CLUSTER, namespace, service: name }, model)
}

/** Delivers one message to one process that is alone with the cluster. */
export async function deliverOnce(
  { service, settings }: Scenario,
  start: SimulatedCluster,
  message: KeyMessage,
  model: ProcessModel = createProcessModel(settings),
): Promise<Reconciled> {
  let cluster = start
  const writes: string[] = []
  const input = { kind: 'message', message, receiveCount: 1, sentTimestamp: FIRST_MS } as const
  let state = await model.next(model.start, input, FIRST_MS)
  let view = NO_VIEW
  for (let waiting = state.calls[0]; waiting !== undefined; waiting = state.calls[0]) {
    const { id, call } = waiting
    const given = answer(cluster, call, { view, managedBy: settings.managedBy, service: service.name })
    cluster = given.cluster
    view = { ...view, ...given.view }
    if (isWrite(call)) writes.push(`at rest a reconcile would ${describeCall(call)}`)
    const { value, error, key } = given
    state = await model.next(state, { kind: 'answer', call: id, value, error, key }, FIRST_MS)
  }
  return { cluster, writes }
}
