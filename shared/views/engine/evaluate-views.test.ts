import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { events, spec } from '../engines.fixtures.ts'
import {
  createEngine,
  diffViews,
  evaluateViews,
  loadSpec,
  type ObjectEvent,
  type ViewObject,
} from '../index.ts'

const textOf = (value: unknown): string => JSON.stringify(value)

describe('a stateless evaluation', () => {
  it('gives, compared with the one before, what an engine gives that keeps state', () => {
    fc.assert(
      fc.property(spec, events, (text, changes) => {
        const loaded = loadSpec(text)
        const engine = createEngine(loaded)
        const objects = new Map<string, unknown>()
        let published: ViewObject[] = []
        for (const change of changes) {
          const { view } = engine.apply(change)
          track(objects, change)
          const { views } = evaluateViews(loaded, [...objects.values()])
          expect(diffViews(published, views).map(textOf).sort()).toEqual(view.map(textOf).sort())
          published = views
        }
      }),
      { numRuns: 60 },
    )
  })

  it('reports bad objects', () => {
    const pipeline = { '@select': '$.on' }
    const sources = [{ apiGroup: '', kind: 'Obj' }]
    const loaded = loadSpec(
      JSON.stringify({ controllers: [{ name: 'c', sources, pipeline, target: { kind: 'V' } }] }),
    )
    const object = (name: string, on: unknown): unknown => ({ kind: 'Obj', metadata: { name }, on })
    const { views, problems } = evaluateViews(loaded, [object('a', true), object('b', 5), object('c', false)])
    expect(views.map(({ metadata }) => metadata.name)).toEqual(['a'])
    expect(problems).toMatchObject([{ step: '@select (step 0)', objects: ['Obj b'] }])
  })
})

describe('a comparison of views', () => {
  const view = (name: string, v: number): ViewObject => ({
    apiVersion: 'g/v1',
    kind: 'V',
    metadata: { name },
    v,
  })

  it('deletes first, and is in the order of names', () => {
    const changes = diffViews(
      [view('z', 1), view('a', 1), view('m', 1)],
      [view('n', 1), view('m', 2), view('b', 1)],
    )
    expect(changes.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'Deleted a',
      'Deleted z',
      'Added b',
      'Updated m',
      'Added n',
    ])
    expect(changes[3]?.old).toEqual(view('m', 1))
  })

  it('is empty for the same views in another order, with members in another order', () => {
    const turned = { v: 1, metadata: { name: 'a' }, kind: 'V', apiVersion: 'g/v1' }
    expect(diffViews([view('a', 1), view('b', 1)], [view('b', 1), turned])).toEqual([])
  })
})

function track(objects: Map<string, unknown>, { type, object }: ObjectEvent): void {
  const { kind, metadata } = object as { kind: string; metadata: { namespace: string; name: string } }
  const key = `${kind} ${metadata.namespace}/${metadata.name}`
  if (type === 'Deleted') objects.delete(key)
  else objects.set(key, object)
}
