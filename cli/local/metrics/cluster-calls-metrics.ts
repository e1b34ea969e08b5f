import type { Registry } from 'prom-client'
import type { ClusterCallsReading } from '../../../shared/reconciler/index.ts'
import { metricsOf } from './metrics-of.ts'

/** Metrics of calls to clusters, and of given-up keys. Labels are clusters and classes, never Services. */
export function createClusterCallsMetrics(registry: Registry) {
  const { counter, filledGauge } = metricsOf(registry)
  let read = (): readonly ClusterCallsReading[] => []

  function gauge(name: string, help: string, of: (reading: ClusterCallsReading) => number): void {
    filledGauge(name, help, ['cluster'], (made) => {
      for (const reading of read()) made.set({ cluster: reading.cluster }, of(reading))
    })
  }
  gauge(
    'sliceflow_cluster_circuit_state',
    'State of the circuit breaker: 0: calls go out; 1: one call tests whether the cluster answers again; 2: no calls, as the cluster does not answer',
    ({ circuit }) => circuit,
  )
  gauge(
    'sliceflow_cluster_calls_waiting',
    'Calls waiting for the budget of the cluster',
    ({ waiting }) => waiting,
  )
  gauge(
    'sliceflow_cluster_calls_left',
    'Calls that the budget of the cluster allows at once',
    ({ left }) => left,
  )
  gauge(
    'sliceflow_cluster_pauses',
    'Times that the cluster has asked to wait since the start',
    ({ pauses }) => pauses,
  )

  const letters = counter(
    'sliceflow_dead_letters_total',
    'Messages that the function moved to the dead-letter queue',
    ['class'],
  )
  const left = counter(
    'sliceflow_left_keys_total',
    'Keys given up in an outage of a cluster; the relay sends them again',
    ['cluster'],
  )

  return {
    /** Sets the function from which the gauges are read whenever the registry is. */
    readFrom(source: () => readonly ClusterCallsReading[]): void {
      read = source
    },
    deadLetter: (failureClass: string): void => letters.inc({ class: failureClass }),
    /** Counts a key that was left in an outage of a cluster. */
    left: (cluster: string): void => left.inc({ cluster }),
  }
}
