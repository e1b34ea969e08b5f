import { createMetrics } from '../../functions/local/index.ts'

/** A metric as Prometheus scrapes it. */
interface ServedMetric {
  readonly name: string
  /** `counter`, `gauge` or `histogram`. */
  readonly type: string
  readonly help: string
}

/** Returns the metrics that `sliceflow run --metrics-port` serves, in its order. */
export async function servedMetrics(): Promise<ServedMetric[]> {
  const metrics = createMetrics()
  try {
    const { url } = await metrics.listen(0)
    const text = await (await fetch(`${url}/metrics`)).text()
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    )
    return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => ({
      name,
      type: types.get(name) ?? '',
      help,
    }))
  } finally {
    await metrics.stop()
  }
}
