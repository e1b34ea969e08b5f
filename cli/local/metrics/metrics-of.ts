import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

interface HistogramOptions {
  readonly labelNames?: string[]
  readonly buckets?: number[]
}

/** Makes metrics of a registry. */
export function metricsOf(registry: Registry) {
  const registers = [registry]
  return {
    counter: (name: string, help: string, labelNames: string[] = []): Counter =>
      new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, options: HistogramOptions = {}): Histogram =>
      new Histogram({ name, help, registers, ...options }),
    /** Makes a gauge that is empty at the start of each reading, and filled then. */
    filledGauge: (
      name: string,
      help: string,
      labelNames: string[],
      fill: (gauge: Gauge) => void | Promise<void>,
    ): Gauge =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset()
          return fill(this)
        },
      }),
  }
}
