import type { Transform } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createEventGate } from './event-gate.ts'

const line = (type: string, uid: string): string =>
  `${JSON.stringify({ type, object: { metadata: { uid } } })}\n`

function reading(stream: Transform): () => string[] {
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk
  })
  return () => text.split('\n').filter(Boolean)
}

const typesOf = (lines: readonly string[]): string[] => lines.map((text) => JSON.parse(text).type)

describe('an event gate', () => {
  it('passes events on as they come, in whatever pieces', async () => {
    const stream = createEventGate().through('pods')
    const read = reading(stream)
    const text = line('ADDED', 'a') + line('DELETED', 'a')
    stream.write(text.slice(0, 7))
    stream.write(text.slice(7))
    await expect.poll(() => typesOf(read())).toEqual(['ADDED', 'DELETED'])
  })

  it('holds back the events of some collections, and lets them go in their order', async () => {
    const gate = createEventGate()
    const [pods, services] = [gate.through('pods'), gate.through('services')]
    const [readPods, readServices] = [reading(pods), reading(services)]
    gate.hold(new Set(['pods']))
    pods.write(line('ADDED', 'a') + line('BOOKMARK', '') + line('DELETED', 'a'))
    services.write(line('ADDED', 'b'))
    await expect.poll(readServices).toHaveLength(1)
    expect([readPods(), gate.held]).toEqual([[], 2])
    gate.open()
    await expect.poll(() => typesOf(readPods())).toEqual(['ADDED', 'BOOKMARK', 'DELETED'])
  })

  it('loses events, counts what came and went, and then ends with 410 the watches that lost some', async () => {
    const gate = createEventGate()
    const [pods, services] = [gate.through('pods'), gate.through('services')]
    const [readPods, readServices] = [reading(pods), reading(services)]
    gate.lose()
    pods.write(line('ADDED', 'a') + line('ADDED', 'b') + line('DELETED', 'a') + line('DELETED', 'old'))
    gate.open()
    services.write(line('ADDED', 'c'))
    await expect.poll(() => typesOf(readServices())).toEqual(['ADDED'])
    expect(typesOf(readPods())).toEqual(['ERROR'])
    expect(JSON.parse(readPods()[0] ?? '').object.code).toBe(410)
    expect([gate.lost, gate.unseen]).toEqual([4, 1])
  })
})
