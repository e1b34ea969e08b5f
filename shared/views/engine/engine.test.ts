import { describe, expect, it } from 'vitest'
import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Json,
  loadSpec,
  type ObjectEvent,
  type Outcome,
} from '../index.ts'

const NAME = { name: '$.metadata.name', namespace: '$.metadata.namespace' }
const COPY: Json = { '@project': { metadata: NAME, v: '$.v' } }
const source = (more: object = {}): Json => ({ apiGroup: '', kind: 'Obj', ...more })
const controller = (name: string, more: object = {}): Json => ({
  name,
  sources: [source()],
  pipeline: COPY,
  target: { kind: 'V' },
  ...more,
})
const obj = (type: ObjectEvent['type'], v: Json, metadata: object = {}, kind = 'Obj'): ObjectEvent => ({
  type,
  object: { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'ns', ...metadata }, v },
})
const textOf = ({ view }: Outcome): string[] =>
  view.map(({ type, object }) => `${type} ${object.kind} ${object.metadata.name} ${JSON.stringify(object.v)}`)

describe.each(['incremental', 'snapshot'] as const)('the %s engine', (mode) => {
  const engineOf = (controllers: readonly Json[], options: EngineOptions = {}): Engine =>
    createEngine(loadSpec(JSON.stringify({ controllers })), { mode, ...options })

  describe('a source', () => {
    it('takes an object when it enters the namespace or selector, and lets it go when it leaves', () => {
      const engine = engineOf([
        controller('c', {
          sources: [
            source({
              namespace: 'ns',
              labelSelector: { matchExpressions: [{ key: 'on', operator: 'Exists' }] },
            }),
          ],
        }),
      ])
      const on = { labels: { on: '' } }
      expect(textOf(engine.apply(obj('Added', 1)))).toEqual([])
      expect(textOf(engine.apply(obj('Updated', 1, { ...on, namespace: 'other' })))).toEqual([])
      expect(textOf(engine.apply(obj('Updated', 2, on)))).toEqual(['Added V a 2'])
      expect(textOf(engine.apply(obj('Updated', 3)))).toEqual(['Deleted V a 2'])
      expect(engine.apply(obj('Deleted', 3)).problems).toEqual([])
    })

    it('takes those updates only that its predicate accepts', () => {
      const predicate = { And: ['GenerationChanged', { Or: ['LabelChanged', 'AnnotationChanged'] }] }
      const engine = engineOf([controller('c', { sources: [source({ predicate })] })])
      const meta = (generation: number, label: string): object => ({ generation, labels: { label } })
      expect(textOf(engine.apply(obj('Added', 1, meta(1, 'x'))))).toEqual(['Added V a 1'])
      expect(textOf(engine.apply(obj('Updated', 2, meta(2, 'x'))))).toEqual([])
      expect(textOf(engine.apply(obj('Updated', 3, meta(2, 'y'))))).toEqual([])
      expect(textOf(engine.apply(obj('Updated', 4, meta(3, 'z'))))).toEqual(['Updated V a 4'])
      expect(textOf(engine.apply(obj('Deleted', 4, meta(3, 'z'))))).toEqual(['Deleted V a 4'])
    })

    it('with Not takes no new objects, but leaves none behind either', () => {
      const engine = engineOf([
        controller('c', { sources: [source({ predicate: { Not: ['LabelChanged'] } })] }),
      ])
      expect(textOf(engine.apply(obj('Added', 1)))).toEqual([])
      expect(textOf(engine.apply(obj('Updated', 2)))).toEqual(['Added V a 2'])
      expect(textOf(engine.apply(obj('Updated', 3, { labels: { l: '' } })))).toEqual([])
      expect(textOf(engine.apply(obj('Deleted', 3)))).toEqual(['Deleted V a 2'])
      expect(engine.apply(obj('Deleted', 3)).problems).toEqual([])
    })

    it('may fire once, at the start', () => {
      const engine = engineOf(
        [
          controller('c', {
            sources: [{ type: 'OneShot', kind: 'Start' }],
            pipeline: { '@project': { metadata: { name: 'made' }, v: '$.metadata.labels' } },
          }),
        ],
        { now: () => new Date('2026-03-01T12:00:00Z') },
      )
      expect(textOf(engine.start())).toEqual([
        'Added V made {"dcontroller.io/last-triggered":"2026-03-01T12:00:00.000Z"}',
      ])
    })

    it('of another operator’s views is fed from outside', () => {
      const group = 'other.view.dcontroller.io'
      const engine = engineOf([controller('c', { sources: [{ apiGroup: group, kind: 'W' }] })])
      const object = { apiVersion: `${group}/v1alpha1`, kind: 'W', metadata: { name: 'a' }, v: 1 }
      const pipeline = engine.apply({ type: 'Added', object })
      expect(pipeline.problems).toMatchObject([{ message: expect.stringContaining('metadata.namespace') }])
      expect(
        textOf(
          engine.apply({ type: 'Updated', object: { ...object, metadata: { name: 'a', namespace: 'n' } } }),
        ),
      ).toEqual(['Added V a 1'])
    })
  })

  describe('an Updater', () => {
    it('replaces everything but labels and annotations, which it adds to those that are there', () => {
      const pipeline = {
        '@project': { metadata: { name: 't', labels: '$.v.labels', annotations: '$.v.labels' }, v: '$.v.v' },
      }
      const engine = engineOf([controller('c', { pipeline })])
      engine.apply(obj('Added', { labels: { a: '1' }, v: { x: 1 } }))
      const [event] = engine.apply(obj('Updated', { labels: { b: '2' }, v: { y: 2 } })).view
      const both = { a: '1', b: '2' }
      expect(event?.object).toMatchObject({ metadata: { name: 't', labels: both, annotations: both } })
      expect(event?.object.v).toEqual({ y: 2 })
    })

    it('leaves an object to another one that gives it as well', () => {
      const engine = engineOf([
        controller('first', { sources: [source({ kind: 'A' })] }),
        controller('second', { sources: [source({ kind: 'B' })] }),
      ])
      expect(textOf(engine.apply(obj('Added', 'b', {}, 'B')))).toEqual(['Added V a "b"'])
      expect(textOf(engine.apply(obj('Added', 'a', {}, 'A')))).toEqual([])
      expect(textOf(engine.apply(obj('Deleted', 'b', {}, 'B')))).toEqual(['Updated V a "a"'])
      expect(textOf(engine.apply(obj('Deleted', 'a', {}, 'A')))).toEqual(['Deleted V a "a"'])
    })

    it('of an object of the API gives deltas and no views', () => {
      const engine = engineOf([
        controller('c', { target: { apiGroup: 'apps', version: 'v1', kind: 'Deployment' } }),
      ])
      const { pipeline, view } = engine.apply(obj('Added', 1))
      expect(pipeline).toMatchObject([
        { type: 'Upserted', object: { apiVersion: 'apps/v1', kind: 'Deployment', v: 1 } },
      ])
      expect([view, engine.views()]).toEqual([[], []])
    })
  })

  describe('a Patcher', () => {
    const controllers = [
      controller('base', { sources: [source({ kind: 'A' })] }),
      controller('patch', {
        sources: [source({ kind: 'P' })],
        pipeline: { '@project': { metadata: NAME, v: '$.v' } },
        target: { kind: 'V', type: 'Patcher' },
      }),
    ]

    it('merges maps, and lists element by element, and takes leaves away again', () => {
      const engine = engineOf(controllers)
      engine.apply(obj('Added', { m: { a: 1 }, l: [1, 2, 3] }, {}, 'A'))
      expect(textOf(engine.apply(obj('Added', { m: { b: 2 }, l: [9] }, {}, 'P')))).toEqual([
        'Updated V a {"m":{"a":1,"b":2},"l":[9,2,3]}',
      ])
      expect(textOf(engine.apply(obj('Deleted', {}, {}, 'P')))).toEqual([
        'Updated V a {"m":{"a":1},"l":[null,2,3]}',
      ])
    })

    it('needs its object, and tries again with the next Sync', () => {
      const engine = engineOf(controllers)
      expect(engine.apply(obj('Added', { b: 1 }, {}, 'P')).problems).toEqual([
        {
          controller: 'patch',
          step: 'target',
          objects: ['V ns/a'],
          message: 'the object to patch does not exist',
        },
      ])
      expect(textOf(engine.apply(obj('Added', { a: 1 }, {}, 'A')))).toEqual(['Added V a {"a":1}'])
      expect(textOf(engine.sync('patch'))).toEqual(['Updated V a {"a":1,"b":1}'])
    })

    it('waits for those who make its objects when all come at once, wherever it stands in the spec', () => {
      const engine = engineOf(controllers.toReversed())
      const outcome = engine.apply(obj('Added', { b: 1 }, {}, 'P'), obj('Added', { a: 1 }, {}, 'A'))
      expect(outcome.problems).toEqual([])
      expect(textOf(outcome)).toEqual(['Added V a {"a":1,"b":1}'])
    })

    it('may patch what it reads', () => {
      const engine = engineOf([
        controller('base'),
        controller('marks', {
          sources: [{ kind: 'V' }],
          pipeline: { '@project': { metadata: { ...NAME, labels: { seen: 'true' } } } },
          target: { kind: 'V', type: 'Patcher' },
        }),
      ])
      const { view, problems } = engine.apply(obj('Added', 1))
      expect(view).toMatchObject([
        { type: 'Added', object: { metadata: { labels: { seen: 'true' } }, v: 1 } },
      ])
      expect(problems).toEqual([])
    })
  })

  it('settles a chain whatever the order of its controllers', () => {
    const chain = [
      controller('third', { sources: [{ kind: 'B' }], target: { kind: 'C' } }),
      controller('second', { sources: [{ kind: 'A' }], target: { kind: 'B' } }),
      controller('first', { target: { kind: 'A' } }),
    ]
    const engine = engineOf(chain)
    expect(textOf(engine.apply(obj('Added', 1)))).toEqual(['Added A a 1', 'Added B a 1', 'Added C a 1'])
    expect(textOf(engine.apply(obj('Added', 1), obj('Deleted', 1), obj('Added', 2)))).toEqual([
      'Updated A a 2',
      'Updated B a 2',
      'Updated C a 2',
    ])
    expect(textOf(engine.apply(obj('Deleted', 2), obj('Added', 2)))).toEqual([])
  })

  it('takes objects of its own views from outside, too', () => {
    const engine = engineOf([controller('c', { sources: [{ kind: 'In' }] })])
    const object = {
      apiVersion: 'op.view.dcontroller.io/v1alpha1',
      kind: 'In',
      metadata: { name: 'a', namespace: 'ns' },
      v: 1,
    }
    expect(textOf(engine.apply({ type: 'Added', object }))).toEqual(['Added In a 1', 'Added V a 1'])
    expect(textOf(engine.apply({ type: 'Deleted', object }))).toEqual(['Deleted In a 1', 'Deleted V a 1'])
  })

  it('tells no value of a Secret in a problem, nor one of a view that is made of it', () => {
    const number = { '@project': { metadata: NAME, v: { '@int': '$.data.password' } } }
    const engine = engineOf([
      controller('reads', { sources: [source({ kind: 'Secret' })], pipeline: number }),
      controller('copies', {
        sources: [source({ kind: 'Secret' })],
        pipeline: { '@project': { metadata: NAME, data: '$.data' } },
        target: { kind: 'Copy' },
      }),
      controller('reads-copies', { sources: [{ kind: 'Copy' }], pipeline: number }),
      controller('reads-others', { pipeline: number }),
    ])
    const data = { password: Buffer.from('hunter2, found it').toString('base64') }
    const metadata = { name: 'a', namespace: 'ns' }
    const { problems } = engine.apply({
      type: 'Added',
      object: { apiVersion: 'v1', kind: 'Secret', metadata, data },
    })
    const message = '@int: expected an integer, found a value that may be of a Secret'
    expect(problems).toMatchObject([
      { controller: 'reads', message, objects: ['Secret ns/a'] },
      { controller: 'reads-copies', message },
    ])
    const other = { apiVersion: 'v1', kind: 'Obj', metadata, data: { password: 'x' } }
    expect(engine.apply({ type: 'Added', object: other }).problems).toMatchObject([
      { message: '@int: expected an integer, found "x"' },
    ])
  })

  it('forgets what is gone', () => {
    const engine = engineOf([controller('c')])
    for (let round = 0; round < 3; round++) {
      expect(textOf(engine.apply(obj('Added', round)))).toEqual([`Added V a ${round}`])
      expect(textOf(engine.apply(obj('Deleted', round)))).toEqual([`Deleted V a ${round}`])
    }
    expect(engine.views()).toEqual([])
  })
})
