import { describe, expect, it } from 'vitest'
import { parseSettings } from './index.ts'

const parse = (traces: string) => () => parseSettings({ traces })

describe('where traces go', () => {
  it.each([
    'off',
    'http://127.0.0.1:4318',
    'http://localhost:4318/',
    'http://[::1]:4318',
    'https://collector.example:4318/tenant',
  ])('may be %s', (traces) => {
    expect(parseSettings({ traces }).traces).toBe(traces)
  })

  it.each([
    ['on', /traces: must be off, or the URL of a collector/],
    ['', /must be off, or the URL/],
    ['ftp://127.0.0.1', /must be off, or the URL/],
    ['https://user:secret-1@collector.example', /must not hold a password: .*OTEL_EXPORTER_OTLP_HEADERS/],
    ['https://collector.example/?token=secret-1', /must end with its path/],
    ['http://collector.example:4318', /must begin with https, unless the collector is on this machine/],
    ['http://127.0.0.1.example:4318', /must begin with https/],
  ])('may not be %j, and no secret is reported', (traces, message) => {
    expect(parse(traces)).toThrow(message)
    expect(parse(traces)).not.toThrow(/secret-1/)
  })

  it('are none by default, and of all changes where there are some', () => {
    expect(parseSettings({})).toMatchObject({ traces: 'off', traceShare: 1 })
  })
})
