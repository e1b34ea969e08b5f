type Labels = Readonly<Record<string, string>>

/** One number of a metric. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
  /** Behind the metric's name, as `_bucket`. */
  readonly suffix?: string
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: Iterable<Sample>
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

/**
 * Formats metrics as Prometheus reads them (text format 0.0.4), by name; those without samples are left out.
 * prom-client writes only what it has counted itself, and would have to be loaded before the first request.
 * The tests compare this with its text.
 */
export function exposition(metrics: readonly Metric[]): string {
  return [...metrics]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help, type, samples }) => {
      const lines = [...samples].map(
        ({ labels, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
      )
      return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function labelText(labels: Labels): string {
  const entries = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return entries.length === 0 ? '' : `{${entries.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return String(value)
}
