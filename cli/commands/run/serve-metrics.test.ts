import { describe, expect, it, onTestFinished } from 'vitest'
import { createLogger, type Log } from '../../../shared/telemetry/index.ts'
import { createMetrics } from '../../local/index.ts'
import { assertMetricsFlags, serveMetrics } from './serve-metrics.ts'

function record(): { readonly logger: Log; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line))
  return { logger: createLogger({ format: 'json', write }), lines }
}

async function serve(options: Parameters<typeof assertMetricsFlags>[0]): Promise<Record<string, unknown>[]> {
  const metrics = createMetrics()
  onTestFinished(() => metrics.stop())
  const { logger, lines } = record()
  await serveMetrics(metrics, options, logger)
  return lines
}

describe('the metrics of a run', () => {
  it('are served on loopback, without a warning, by default', async () => {
    const lines = await serve({ metricsPort: 0 })
    expect(lines).toMatchObject([{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/) }])
    expect((await fetch(String(lines[0]?.url))).status).toBe(200)
  })

  it('are served on another address with a warning', async () => {
    const lines = await serve({ metricsPort: 0, metricsAddress: '0.0.0.0' })
    expect(lines[1]).toMatchObject({
      level: 'warn',
      address: '0.0.0.0',
      msg: expect.stringContaining('need no credentials'),
    })
    expect((await fetch(String(lines[0]?.url))).status).toBe(200)
  })

  it('are not served where there is no port', async () => {
    expect(await serve({})).toEqual([])
  })

  it('say what to do where the address is of another machine', async () => {
    // An address of documentation (RFC 5737), which no machine has.
    await expect(serve({ metricsPort: 0, metricsAddress: '192.0.2.1' })).rejects.toThrow(
      /^cannot serve metrics on 192\.0\.2\.1, port 0: .*EADDRNOTAVAIL.*; choose another --metrics-port, or an address of this machine as --metrics-address$/,
    )
  })

  it('need a port where an address is given', () => {
    expect(() => assertMetricsFlags({ metricsAddress: '0.0.0.0' })).toThrow(
      '--metrics-address needs --metrics-port',
    )
  })
})
