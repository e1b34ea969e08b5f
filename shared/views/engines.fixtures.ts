import fc from 'fast-check'
import type { Json, ObjectEvent } from './index.ts'

/** Few names and values, so that objects meet, groups change, and some steps fail. */
const name = fc.constantFrom('a', 'b', 'c')
const namespace = fc.constantFrom('x', 'y')
const scalar = fc.oneof(
  fc.constantFrom<Json[]>('p', 'q', '$.spec.k', 1, 2, 10, null, true),
  fc.integer({ min: 0, max: 3 }),
)
const element = fc.oneof(
  { weight: 5, arbitrary: fc.record({ n: scalar, on: fc.boolean() }) },
  { weight: 1, arbitrary: scalar },
)
const list = fc.oneof(
  { weight: 8, arbitrary: fc.array(element, { maxLength: 4 }) },
  { weight: 1, arbitrary: scalar },
)

const event: fc.Arbitrary<ObjectEvent> = fc
  .record({
    type: fc.constantFrom<ObjectEvent['type'][]>('Added', 'Updated', 'Upserted', 'Replaced', 'Deleted'),
    kind: fc.constantFrom('A', 'B', 'C'),
    metadata: fc.record({
      name,
      namespace,
      generation: fc.integer({ min: 1, max: 2 }),
      labels: fc.dictionary(fc.constantFrom('l', 'm'), fc.constantFrom('1', '2')),
    }),
    spec: fc.record({ k: scalar, v: scalar, list }, { requiredKeys: ['k'] }),
  })
  .map(({ type, kind, metadata, spec }) => ({ type, object: { apiVersion: 'v1', kind, metadata, spec } }))

export const events: fc.Arbitrary<ObjectEvent[]> = fc.array(event, { minLength: 1, maxLength: 25 })

const IDENTITY = { name: '$.metadata.name', namespace: '$.metadata.namespace' }
const PLAIN: Json = { '@project': { metadata: IDENTITY, spec: '$.spec' } }
const named = (...parts: Json[]): Json => ({ name: { '@concat': parts }, namespace: '$.metadata.namespace' })

/** A source's filters; predicates look at the way, not at the state, and are given apart. */
const filters = fc.record(
  { namespace, labelSelector: fc.constantFrom<Json[]>({ matchLabels: { l: '1' } }, { matchLabels: {} }) },
  { requiredKeys: [] },
)

/** Steps on objects with metadata and spec.{k,v,list}, which leave such objects. */
const steps: fc.Arbitrary<Json[]> = fc
  .array(
    fc.constantFrom<Json[][]>(
      [{ '@select': { '@exists': '$.spec.v' } }],
      [{ '@select': { '@gt': ['$.spec.k', 1] } }],
      [{ '@unwind': '$.spec.list' }],
      [{ '@unwind': '$.spec.list' }, { '@select': '$.spec.list.on' }],
      [{ '@project': { metadata: named('n-', '$.spec.k'), spec: '$.spec' } }],
      [{ '@project': [{ '$.': '$.' }, { metadata: { name: 'same' } }] }],
      [{ '@project': { metadata: IDENTITY, spec: { k: '$.spec.k', list: ['$.spec.v', '$.spec.k'] } } }],
      [
        { '@gather': ['$.spec.k', '$.spec.v'] },
        { '@project': { metadata: named('g-', '$.spec.k'), spec: '$.spec' } },
      ],
      [
        { '@unwind': '$.spec.list' },
        { '@gather': ['$.metadata.namespace', '$.spec.list'] },
        { '@project': { metadata: named('all'), spec: '$.spec' } },
      ],
    ),
    { maxLength: 3 },
  )
  .map((chosen) => chosen.flat())

const JOINED: Json = {
  '@project': {
    metadata: {
      name: { '@concat': ['$.L.metadata.name', '-', '$.R.metadata.name'] },
      namespace: '$.L.metadata.namespace',
    },
    spec: { k: '$.L.spec.k', v: '$.R.spec.v', list: '$.R.spec.list' },
  },
}
const CONDITIONS: readonly Json[] = [
  { '@eq': ['$.L.spec.k', '$.R.spec.k'] },
  {
    '@and': [
      { '@eq': ['$.L.metadata.namespace', '$.R.metadata.namespace'] },
      { '@eq': ['$.L.spec.k', '$.R.spec.v'] },
    ],
  },
  {
    '@and': [{ '@eq': ['$.R.metadata.name', '$.L.metadata.name'] }, { '@lte': ['$.L.spec.k', '$.R.spec.k'] }],
  },
  { '@lt': ['$.L.spec.k', '$.R.spec.k'] },
  true,
]
const withKinds = (value: Json, left: string, right: string): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('$.L.', `$.${left}.`).replaceAll('$.R.', `$.${right}.`)) as Json

const joinOf = (left: string, right: string): fc.Arbitrary<Json[]> =>
  fc
    .tuple(fc.constantFrom(...CONDITIONS), steps)
    .map(([condition, more]) => [
      { '@join': withKinds(condition, left, right) },
      withKinds(JOINED, left, right),
      ...more,
    ])

const native = (kind: string, more: object): Json => ({ apiGroup: '', kind, ...more })

/** A chain: A → V, V and B joined → W, W or C → W or X. */
export const spec: fc.Arbitrary<string> = fc
  .record({ first: steps, filters, join: joinOf('V', 'B'), last: steps, lastKind: fc.constantFrom('W', 'X') })
  .map(({ first, filters: chosen, join, last, lastKind }) =>
    JSON.stringify({
      controllers: [
        { name: 'joins', sources: [{ kind: 'V' }, native('B', {})], pipeline: join, target: { kind: 'W' } },
        {
          name: 'first',
          sources: [native('A', chosen)],
          // An Updater never takes labels away, and leaves other metadata as it was: what an object was would
          // show.
          pipeline: [PLAIN, ...first],
          target: { kind: 'V' },
        },
        {
          name: 'last',
          sources: [lastKind === 'X' ? { kind: 'W' } : native('C', {})],
          pipeline: [PLAIN, ...last],
          target: { kind: lastKind },
        },
      ],
    }),
  )

/** One with what looks at the way of an object as well: predicates and a Patcher. */
export const historicSpec: fc.Arbitrary<string> = fc
  .record({
    predicate: fc.constantFrom<Json[]>(
      'GenerationChanged',
      { Not: ['LabelChanged'] },
      { Or: ['LabelChanged'] },
    ),
    first: steps,
    patch: fc.constantFrom<Json[]>({ w: '$.spec.v' }, { spec: { v: '$.spec.v' } }, { list: '$.spec.list' }),
  })
  .map(({ predicate, first, patch }) =>
    JSON.stringify({
      controllers: [
        { name: 'first', sources: [native('A', { predicate })], pipeline: first, target: { kind: 'V' } },
        {
          name: 'patches',
          sources: [native('B', {})],
          pipeline: [{ '@project': [{ metadata: IDENTITY }, patch] }],
          target: { kind: 'V', type: 'Patcher' },
        },
        { name: 'follows', sources: [{ kind: 'V' }], target: { kind: 'W' } },
      ],
    }),
  )
