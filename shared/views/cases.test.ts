import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_LISTS, ENDPOINTS, WANTED } from './cases.fixtures.ts'
import { createEngine, type EngineOptions, loadSpec, type ObjectEvent, type Outcome } from './index.ts'

/** Results of Δ-controller in 12 runs; where that is a defect, `upstreamBug` says what is wanted. */
interface Case {
  readonly id: string
  readonly title: string
  /** A spec, or one of the two for EndpointSlices. */
  readonly operator: '@normal' | '@gather' | object
  readonly events: readonly (ObjectEvent | { readonly type: 'Sync'; readonly controller?: string })[]
  readonly upstreamBug?: string
  readonly expect: readonly Step[]
}

interface Step {
  readonly pipeline: readonly { readonly controller: string; readonly type: string; readonly object: Named }[]
  readonly view: readonly { readonly type: string; readonly object: Named }[]
  readonly errors?: readonly string[]
}
interface Named {
  readonly kind: string
  readonly metadata: { readonly namespace?: string; readonly name: string }
}

const cases = readFileSync(new URL('testdata/cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

const specText = ({ operator }: Case): string => {
  if (operator === '@normal') return ENDPOINTS
  return operator === '@gather' ? ENDPOINT_LISTS : JSON.stringify(operator)
}

const nameOf = ({ kind, metadata: { namespace = '', name } }: Named): string => `${kind} ${namespace}/${name}`
const ordered = <T extends { readonly object: Named; readonly type: string }>(deltas: readonly T[]): T[] =>
  deltas.toSorted((a, b) => (`${a.type} ${nameOf(a.object)}` < `${b.type} ${nameOf(b.object)}` ? -1 : 1))

function run(one: Case, mode: EngineOptions['mode'], text = specText(one)): Outcome[] {
  const engine = createEngine(loadSpec(text), { mode })
  const outcomes = one.events.map((event) =>
    'object' in event ? engine.apply(event) : engine.sync(event.controller),
  )
  return [engine.start(), ...outcomes]
}

const deltasOf = ({ pipeline, view, problems }: Outcome): object => ({
  pipeline,
  view,
  problems: problems.length,
})

describe.each(['incremental', 'snapshot'] as const)('the %s engine', (mode) => {
  it.each(cases.filter(({ id }) => !WANTED.has(id)))(
    'gives in $id what Δ-controller gives: $title',
    (one) => {
      for (const [index, outcome] of run(one, mode).entries()) {
        const step = one.expect[index]
        expect(ordered(outcome.pipeline)).toEqual(ordered(step?.pipeline ?? []))
        const view = outcome.view.map(({ type, object }) => ({ type, object }))
        expect(ordered(view)).toEqual(ordered(step?.view ?? []))
        expect(outcome.problems).toHaveLength(step?.errors?.length ?? 0)
      }
    },
  )

  it.each(cases.filter(({ id }) => WANTED.has(id)))('gives in $id what is wanted: $upstreamBug', (one) => {
    const given = run(one, mode).map(({ view }) =>
      view.map(({ type, object: { apiVersion: _, kind, metadata, ...content } }) =>
        [type, kind, metadata.name, JSON.stringify(content)].join(' '),
      ),
    )
    expect(given.slice(1)).toEqual(WANTED.get(one.id))
  })

  // UPSTREAM_VIEW_SPECS: a folder with Δ-controller's two EndpointSlice specs, which are not part of this
  // project.
  it.skipIf(env.UPSTREAM_VIEW_SPECS === undefined)('makes the same of Δ-controller’s own specs', () => {
    const folder = env.UPSTREAM_VIEW_SPECS ?? ''
    const specs = {
      '@normal': readFileSync(join(folder, 'endpointslice-controller-spec.yaml'), 'utf8'),
      '@gather': readFileSync(join(folder, 'endpointslice-controller-gather-spec.yaml'), 'utf8'),
    }
    for (const one of cases) {
      const { operator } = one
      if (typeof operator === 'string')
        expect(run(one, mode, specs[operator]).map(deltasOf)).toEqual(run(one, mode).map(deltasOf))
    }
  })

  it('deletes before it adds', () => {
    for (const one of cases) {
      for (const { view, pipeline } of run(one, mode)) {
        for (const types of [view.map(({ type }) => type), pipeline.map(({ type }) => type)]) {
          expect(types.lastIndexOf('Deleted')).toBe(types.filter((type) => type === 'Deleted').length - 1)
        }
      }
    }
  })
})
