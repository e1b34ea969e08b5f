import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { runSliceflow } from '../../program.fixtures.ts'
import { pipePlans } from './cases.ts'

const service = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: { clusterIP: '10.96.0.7', ports: [{ name: '', port: 80, protocol: 'TCP', targetPort: 8080 }] },
}
const nodes = [{ metadata: { name: 'n1' } }]
const pod = (name: string, node = 'n1') => ({
  metadata: { name, namespace: 'shop', uid: `u-${name}` },
  spec: { nodeName: node },
  status: { podIPs: [{ ip: '10.0.0.5' }] },
})
const aCase = (id: string | number, more: object = {}) => ({
  id,
  service,
  pods: [pod('p')],
  nodes,
  slices: [],
  ...more,
})

async function plans(input: string | Buffer | Iterable<Buffer>): Promise<Record<string, unknown>[]> {
  const output = new PassThrough()
  const chunks = typeof input === 'string' || Buffer.isBuffer(input) ? [Buffer.from(input)] : input
  const done = pipePlans(Readable.from(chunks), output).then(() => output.end())
  const [lines] = await Promise.all([text(output), done])
  return lines
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
const lines = (...cases: unknown[]): string => cases.map((one) => `${JSON.stringify(one)}\n`).join('')

describe('a case', () => {
  it('gives a plan', async () => {
    const stale = { metadata: { name: 'web-old', namespace: 'shop' }, addressType: 'FQDN', endpoints: [] }
    const [plan] = await plans(
      lines(aCase('a', { slices: [stale], triggerTime: '2026-03-01T12:00:00Z', controllerName: 'me' })),
    )
    expect(plan).toMatchObject({
      id: 'a',
      create: [
        {
          metadata: {
            generateName: 'web-',
            labels: { 'endpointslice.kubernetes.io/managed-by': 'me' },
            annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-03-01T12:00:00Z' },
          },
          endpoints: [{ addresses: ['10.0.0.5'] }],
        },
      ],
      update: [],
      delete: ['web-old'],
      events: [],
    })
    expect(plan).not.toHaveProperty('error')
  })

  it('keeps to the maximum that it sets', async () => {
    const [plan] = await plans(lines(aCase(1, { pods: [pod('p'), pod('q')], maxEndpointsPerSlice: 1 })))
    expect(plan?.create).toHaveLength(2)
  })

  it('may leave out nodes and slices', async () => {
    const [plan] = await plans(lines({ id: 1, service, pods: [] }))
    expect(plan?.create).toHaveLength(1)
  })

  it('gives events as text', async () => {
    const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' }
    const [plan] = await plans(
      lines(aCase(1, { service: { ...service, metadata: { ...service.metadata, annotations } } })),
    )
    expect(plan?.events).toEqual([
      'Warning TopologyAwareHintsDisabled Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    ])
  })

  it('reports what its plan had to leave out', async () => {
    const [plan] = await plans(lines(aCase(1, { pods: [pod('p', 'gone'), null] })))
    expect(plan?.error).toBe(
      'skipped Pod /(unnamed): it is not an object; skipped Pod shop/p: its node "gone" does not exist',
    )
    expect(plan?.create).toHaveLength(1)
  })
})

it('a case of an EndpointSelector gives its plan', async () => {
  const { metadata } = service
  const endpointSelector = { metadata, spec: { selector: { matchLabels: { app: 'web' } } } }
  const [plan] = await plans(lines(aCase('a', { service: undefined, endpointSelector })))
  expect(plan).toMatchObject({
    create: [
      {
        metadata: { labels: { 'kubernetes.io/endpoint-selector-name': 'web' } },
        endpoints: [{ addresses: ['10.0.0.5'] }],
      },
    ],
  })
})

describe('a bad line', () => {
  it.each<[string, string, object]>([
    ['is not JSON', '{"id": 7,', { error: expect.stringMatching(/^line 2: not JSON: /) }],
    ['is no object', '[]', { error: expect.stringMatching(/^line 2: case: /) }],
    ['is null', 'null', { error: expect.stringMatching(/^line 2: case: /) }],
    [
      'lacks fields',
      '{"id": 7, "pods": {}}',
      { id: 7, error: expect.stringMatching(/^line 2: pods: .*array/) },
    ],
    [
      'has no owner of slices',
      '{"id": 7, "pods": []}',
      { id: 7, error: 'line 2: case: give a service or an endpointSelector' },
    ],
    [
      'has two',
      JSON.stringify(aCase(7, { endpointSelector: service })),
      { id: 7, error: 'line 2: case: give a service or an endpointSelector' },
    ],
    [
      'has an option out of range',
      JSON.stringify(aCase(7, { maxEndpointsPerSlice: 1001 })),
      {
        id: 7,
        error: 'line 2: invalid option maxEndpointsPerSlice: expected an integer from 1 to 1000, got 1001',
      },
    ],
    [
      'has a trigger time that is none',
      JSON.stringify(aCase(7, { triggerTime: 'now' })),
      { id: 7, error: expect.stringContaining('triggerTime') },
    ],
  ])('that %s gives an error, and the rest go on', async (_, line, expected) => {
    const results = await plans(`${lines(aCase(1))}${line}\n${lines(aCase(3))}`)
    expect(results).toMatchObject([{ id: 1 }, expected, { id: 3 }])
    expect(results[1]).not.toHaveProperty('create')
  })
})

describe('the stream', () => {
  it('may be empty, hold empty lines, end its lines with \\r\\n, and lack the last line break', async () => {
    expect(await plans('')).toEqual([])
    const results = await plans(`\n${JSON.stringify(aCase(1))}\r\n\r\n${JSON.stringify(aCase(2))}`)
    expect(results.map(({ id }) => id)).toEqual([1, 2])
  })

  it('may be cut anywhere, even within a character', async () => {
    const bytes = Buffer.from(lines(aCase('é€𝄞\u2028'), aCase(2)))
    const results = await plans(Array.from(bytes, (byte) => Buffer.from([byte])))
    expect(results.map(({ id }) => id)).toEqual(['é€𝄞\u2028', 2])
  })

  it('may have lines of many megabytes', async () => {
    const results = await plans(lines(aCase('long', { padding: 'x'.repeat(20_000_000) }), aCase(2)))
    expect(results.map(({ id }) => id)).toEqual(['long', 2])
  })

  it('is read no faster than the plans are taken', async () => {
    let read = 0
    const input = Readable.from(
      (function* () {
        for (let id = 0; id < 5000; id++) {
          read++
          yield Buffer.from(lines(aCase(id)))
        }
      })(),
    )
    const taken: Buffer[] = []
    let goOn = (): void => {}
    const blocked = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const output = new Writable({
      write(chunk, _, done) {
        taken.push(chunk)
        void blocked.then(() => done())
      },
    })
    const done = pipePlans(input, output)
    await expect.poll(() => output.writableNeedDrain).toBe(true)
    expect(read).toBeLessThan(1000)
    goOn()
    await done
    await new Promise<void>((resolve) => output.end(resolve))
    expect(taken).toHaveLength(5000)
  })

  it('fails when the input does', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from(lines(aCase(1)))
        throw new Error('disk on fire')
      })(),
    )
    await expect(pipePlans(broken, new PassThrough().resume())).rejects.toThrow('disk on fire')
  })
})

describe('the command', () => {
  it('gives in its help an example that works', async () => {
    const { stdout: help } = await runSliceflow('plan', '--help')
    const example = /echo '(.*)'[\s\\]*\| sliceflow plan/.exec(help)?.[1] ?? ''
    const [plan] = await plans(example)
    expect(plan).toMatchObject({ id: 1, create: [{ endpoints: [{ addresses: ['10.0.0.5'] }] }] })
    expect(plan).not.toHaveProperty('error')
  })

  it('ends quietly when its output is closed', async () => {
    const main = new URL('../../main.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [main, 'plan'], { stdio: ['pipe', 'pipe', 'pipe'] })
    const errors = text(child.stderr)
    child.stdin.on('error', () => {})
    child.stdin.write(lines(aCase(1)))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    child.stdin.end(lines(...Array.from({ length: 500 }, (_, id) => aCase(id))))
    const [code] = await once(child, 'exit')
    expect({ code, errors: await errors }).toEqual({ code: 0, errors: '' })
  })
})
