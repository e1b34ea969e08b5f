import { ringing } from '../../infra/constructs/alarms/alarm-states.fixtures.ts'
import { type AlarmProperties, metricsRead } from '../../infra/constructs/alarms/alarms.fixtures.ts'
import { createRecordedMetrics, MINUTE } from '../../infra/constructs/alarms/recorded-metrics.fixtures.ts'
import { EMF_NAMESPACE } from '../../shared/telemetry/index.ts'

/** A time of more than a minute in which a deployment works under the same circumstances. */
export interface AlarmPhase {
  /** Returns the alarms that are on if it went on like this: by name, of those that read our own metrics. */
  ringing(): string[]
}

interface AlarmPhaseOptions {
  readonly alarms: Readonly<Record<string, AlarmProperties>>
  /** Returns what functions and relay have logged so far, metrics among it. */
  readonly log: () => string
}

/** Rings for what takes longer than ten seconds, which on a busy machine says nothing of a deployment. */
const OF_THE_MACHINE = 'Latency'
/** Long enough for every alarm. */
const MINUTES = 60

/**
 * Begins a phase. What is written from now on counts as that of each minute of an hour: alarms take up to 15
 * minutes, and a test has one.
 */
export function openPhase({ alarms, log }: AlarmPhaseOptions): AlarmPhase {
  const before = new Set(metricLines(log()))
  return {
    ringing() {
      const recorded = createRecordedMetrics()
      const lines = metricLines(log()).filter((line) => !before.has(line))
      for (let minute = 0; minute < MINUTES; minute++)
        for (const line of lines) {
          const values = JSON.parse(line)
          const _aws = { ...values._aws, Timestamp: minute * MINUTE }
          recorded.write(JSON.stringify({ ...values, _aws }))
        }
      return Object.entries(alarms)
        .filter(([, alarm]) => metricsRead(alarm).every(({ namespace }) => namespace === EMF_NAMESPACE))
        .filter(([, alarm]) => ringing(alarm, recorded, MINUTES - 1).length > 0)
        .flatMap(([id]) => (id === OF_THE_MACHINE ? [] : [id]))
    },
  }
}

const metricLines = (text: string): string[] =>
  text.split('\n').filter((line) => line.startsWith('{') && line.includes('"_aws"'))
