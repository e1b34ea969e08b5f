import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { describeCall } from './calls.ts'
import type { Choice } from './explore.ts'
import type { EnvironmentStep, Message, Scenario, WorkersState } from './scenario.ts'
import { answer, orphanedSlices, removeObject, type SimulatedCluster, viewOfFacts } from './simulated-api.ts'
import type { Steps } from './steps.ts'
import { writerOf } from './writer.ts'

function relayChoices(state: WorkersState, relayStarted: Steps['relayStarted']): Choice<WorkersState>[] {
  if (state.isRelayDown) return [{ label: () => 'the relay starts', take: () => relayStarted(state) }]
  const { relayOutages } = state.faults
  if (relayOutages === 0) return []
  const faults = { ...state.faults, relayOutages: relayOutages - 1 }
  return [{ label: () => 'the relay stops', take: () => ({ ...state, faults, isRelayDown: true }) }]
}

/** A cluster after a change, and what the relay sends for it. */
interface Changed {
  readonly cluster: SimulatedCluster
  readonly messages: readonly Message[]
}

/** Dates the facts of a message. */
function madeAt({ hint, readAhead, ...message }: KeyMessage, at: number): KeyMessage {
  const dated = <T extends { readonly facts?: object }>(named: T): T =>
    named.facts === undefined ? named : { ...named, facts: { ...named.facts, at } }
  const { selected } = readAhead ?? {}
  return {
    ...message,
    ...(hint && { hint: dated(hint) }),
    ...(readAhead && { readAhead: selected ? { ...readAhead, selected: dated(selected) } : readAhead }),
  }
}

/** The same change of the same cluster is part of many interleavings. */
function createChanges(
  scenario: Scenario,
  nowOf: Steps['nowOf'],
): (state: WorkersState, step: EnvironmentStep) => WorkersState {
  const changes = new Map<string, Changed>()

  function change(state: WorkersState, step: EnvironmentStep): Changed {
    const cluster = step.change(state.cluster)
    const stepsDone = state.stepsDone + 1
    const sentTimestamp = nowOf({ ...state, stepsDone })
    const sent = state.isRelayDown ? [] : step.messages(cluster, state.cluster)
    const messages = sent.map(
      (message, index): Message => ({
        message: madeAt(
          scenario.relayVerifies === true ? { ...message, relayVerifies: true } : message,
          sentTimestamp,
        ),
        sentTimestamp,
        receiveCount: 1,
        id: stepsDone * 10 + index,
      }),
    )
    return { cluster, messages }
  }

  return (state, step) => {
    const stepsDone = state.stepsDone + 1
    const before = `${stepsDone} ${state.cluster.key} ${state.isRelayDown}`
    const { cluster, messages } = changes.get(before) ?? change(state, step)
    changes.set(before, { cluster, messages })
    return { ...state, cluster, stepsDone, queue: [...state.queue, ...messages] }
  }
}

/**
 * Lists what all but the workers may do next: the queue, requests that are late, and others in the
 * cluster.
 */
export function createEnvironmentChoices(
  scenario: Scenario,
  { fresh, feed, nowOf, relayStarted }: Steps,
): (state: WorkersState) => readonly Choice<WorkersState>[] {
  const changed = createChanges(scenario, nowOf)
  const orphans = new Map<number, readonly EndpointSlice[]>()

  function deliveryChoices(state: WorkersState): Choice<WorkersState>[] {
    const choices: Choice<WorkersState>[] = []
    const seen = new Set<string>()
    for (const [place, message] of state.queue.entries()) {
      for (const [index, process] of state.processes.entries()) {
        const what = `${message.id}.${message.receiveCount} to ${process.state.id}`
        if (process.handled.size >= scenario.capacity || seen.has(what)) continue
        seen.add(what)
        choices.push(...deliver(state, place, message, index))
      }
    }
    return choices
  }

  function deliver(
    state: WorkersState,
    place: number,
    message: Message,
    index: number,
  ): Choice<WorkersState>[] {
    const process = state.processes[index] ?? fresh
    const taken = {
      ...process,
      // A process that is busy goes on with what it has read: the message waits for the next run.
      view:
        process.handled.size > 0 ? process.view : viewOfFacts(state.cluster, message.message, process.view),
      handled: new Map(process.handled).set(process.state.messages.length, message),
    }
    const input = { kind: 'message', ...message } as const
    const label = (): string =>
      `worker ${index + 1} gets message ${message.id}${message.receiveCount > 1 ? ' again' : ''}`
    const queue = state.queue.toSpliced(place, 1)
    const once: Choice<WorkersState> = { label, take: () => feed({ ...state, queue }, index, taken, input) }
    if (state.faults.duplicates === 0) return [once]
    const faults = { ...state.faults, duplicates: state.faults.duplicates - 1 }
    const twice: Choice<WorkersState> = {
      label: () => `${label()}, which stays in the queue`,
      take: () => feed({ ...state, faults }, index, taken, input),
    }
    return [once, twice]
  }

  function environmentChoices(state: WorkersState): Choice<WorkersState>[] {
    const step = scenario.steps[state.stepsDone]
    const choices = orphansIn(state.cluster).map(
      (slice): Choice<WorkersState> => ({
        label: () => `the garbage collector deletes ${slice.metadata?.name}`,
        take: () => ({ ...state, cluster: removeObject(state.cluster, ENDPOINT_SLICES.plural, slice) }),
      }),
    )
    if (step === undefined) return choices
    return [...choices, { label: () => step.label, take: () => changed(state, step) }]
  }

  function orphansIn(cluster: SimulatedCluster): readonly EndpointSlice[] {
    const found = orphans.get(cluster.key) ?? orphanedSlices(cluster)
    orphans.set(cluster.key, found)
    return found
  }

  const strayChoices = (state: WorkersState): Choice<WorkersState>[] =>
    state.strays.map((stray, place) => ({
      label: () => `late: ${describeCall(stray.call)}`,
      take: () => ({
        ...state,
        strays: state.strays.toSpliced(place, 1),
        // What is late may be of an older view: that is what a stray is.
        cluster: { ...answer(state.cluster, stray.call, writerOf(scenario, stray)).cluster, violations: [] },
      }),
    }))

  return (state) => [
    ...deliveryChoices(state),
    ...strayChoices(state),
    ...environmentChoices(state),
    ...relayChoices(state, relayStarted),
  ]
}
