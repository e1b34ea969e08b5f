import { describe, expect, it } from 'vitest'
import { loadSpec, SpecError, type SpecProblem } from '../index.ts'

function problemsOf(text: string): readonly SpecProblem[] {
  try {
    loadSpec(text, { file: 'views.yaml' })
  } catch (error) {
    if (error instanceof SpecError) return error.problems
    throw error
  }
  return []
}

/** Writes a spec of one controller with this pipeline, which begins at line 6, column 15 of the text. */
const withPipeline = (pipeline: string): string => `
controllers:
  - name: c
    sources: [{ apiGroup: "", kind: Obj }]
    target: { kind: V }
    pipeline: ${pipeline}
`
const withSource = (source: string): string => `
controllers:
  - name: c
    sources: [${source}]
    target: { kind: V }
`

describe('a spec', () => {
  it('may be a bare list of controllers, whose name comes from outside', () => {
    const spec = loadSpec(withPipeline('[]'), { name: 'mine' })
    expect(spec.name).toBe('mine')
    expect(spec.controllers[0]).toMatchObject({
      name: 'c',
      sources: [{ group: '', kind: 'Obj', isView: false, type: 'Watcher' }],
      target: { group: 'mine.view.dcontroller.io', kind: 'V', isView: true, type: 'Updater' },
      pipeline: { steps: [] },
    })
  })

  it('may be an object of kind Operator, with a name of its own', () => {
    const controllers = [{ name: 'c', sources: [{ kind: 'A' }], target: { kind: 'V' } }]
    const operator = {
      apiVersion: 'dcontroller.io/v1alpha1',
      kind: 'Operator',
      metadata: { name: 'ep-operator' },
      spec: { controllers },
    }
    expect(loadSpec(JSON.stringify(operator))).toMatchObject({
      name: 'ep-operator',
      controllers: [{ sources: [{ group: 'ep-operator.view.dcontroller.io', isView: true }] }],
    })
  })

  it('may have its pipeline as a list, as one step, and as @join and @aggregate', () => {
    const select = '{"@select": true}'
    const flat = loadSpec(withPipeline(`[{"@join": true}, ${select}]`))
    expect(loadSpec(withPipeline(`{"@join": true, "@aggregate": [${select}]}`))).toEqual(flat)
    expect(loadSpec(withPipeline(`{"@aggregate": ${select}}`))).toEqual(loadSpec(withPipeline(select)))
    expect(loadSpec(withPipeline(`{"@join": true}`)).controllers[0]?.pipeline.join).toBeDefined()
    expect(loadSpec(withPipeline('null')).controllers[0]?.pipeline.steps).toEqual([])
  })

  it('may use the other names of @unwind and @gather', () => {
    const steps = loadSpec(withPipeline('[{"@demux": $.l}, {"@mux": [$.k, $.v]}]')).controllers[0]?.pipeline
      .steps
    expect(steps?.map(({ op }) => op)).toEqual(['@unwind', '@gather'])
  })

  it('may stand between documents of comments alone, as tools that write manifests leave them', () => {
    const text = `---\n# made by a tool\n---\n${withPipeline('[]')}---\n# the end\n---\n`
    expect(problemsOf(text)).toEqual([])
  })

  it('may hold fields that mean nothing here', () => {
    expect(problemsOf(withSource('{ kind: A, color: red }'))).toEqual([])
  })

  it('reads the period of a Periodic source', () => {
    const periodOf = (period: string): unknown =>
      loadSpec(withSource(`{ kind: A }, { kind: T, type: Periodic, parameters: { period: ${period} } }`))
        .controllers[0]?.sources[1]?.periodMs
    expect(periodOf('1m30s')).toBe(90_000)
    expect(periodOf('1.5h')).toBe(5_400_000)
    expect(loadSpec(withSource('{ kind: T, type: Periodic }')).controllers[0]?.sources[0]?.periodMs).toBe(
      300_000,
    )
  })
})

describe('a spec that is wrong', () => {
  it('shows all that is wrong with it at once, with file, line and column', () => {
    const text = `controllers:
  - name: pods
    sources:
      - { apiGroup: "", kind: Pod }
      - { apiGroup: metrics.k8s.io, kind: Pod }
    pipeline:
      - "@join": { "@equals": [$.a, $.b] }
      - "@project":
          metadata: { name: $.Pod.metadata.my-name }
          ready: { "@cond": [true] }
    target: { kind: V }
  - name: pods
    sources: [{ kind: A }, { kind: B }]
    target: { kind: W }
`
    expect(() => loadSpec(text, { file: 'views.yaml' })).toThrow(/^views\.yaml:5:9: /)
    expect(problemsOf(text).map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      '5:9 a second source of kind Pod; a join tells its sources apart by their kinds, expected another kind',
      expect.stringMatching(/^7:20 there is no operator @equals; expected one of .*@eq, /),
      '9:29 JSONPath "$.Pod.metadata.my-name" cannot be read: expected . or [, found "-" at character 18',
      '10:29 @cond: expected 2 or 3 arguments, found 1',
      '12:5 expected @join as the first step: the controller has 2 sources',
      '12:11 a second controller named "pods"; expected another name',
    ])
  })

  it.each<[string, string, RegExp]>([
    ['an unknown step', '[{"@selct": true}]', /^there is no pipeline step @selct; did you mean @select\?$/],
    ['two steps in one', '[{"@select": true, "@project": {}}]', /^expected a step, a map with one key/],
    ['an empty step', '{}', /^expected a step, a map with one key, found the map \{\}$/],
    ['a step that is a text', '["@select"]', /^expected a step, .*found the string "@select"$/],
    [
      '@join in the middle',
      '[{"@select": true}, {"@join": true}]',
      /^@join: expected as the first step only$/,
    ],
    [
      '@unwind of a number',
      '[{"@unwind": 5}]',
      /^@unwind: expected a JSONPath such as .*found the number 5$/,
    ],
    ['@gather of three', '[{"@gather": [1, 2, 3]}]', /^@gather: expected \[key, value\]/],
    [
      '@gather of a value that is no path',
      '[{"@gather": [1, {"@len": $.x}]}]',
      /^@gather: expected a JSONPath/,
    ],
    ['@project of nothing', '[{"@project": []}]', /^@project: expected a map or a list of maps/],
    ['a wrong number of arguments', '[{"@select": {"@eq": [1]}}]', /^@eq: expected 2 arguments, found 1$/],
    [
      'no pair in @switch',
      '[{"@select": {"@switch": [[true]]}}]',
      /^@switch: expected \[condition, value\] as element 1$/,
    ],
    [
      'a filter that is cut off',
      '[{"@select": "$.a[?(@.b"}]',
      /cannot be read: expected \) at the end of a condition, the path ends/,
    ],
    ['$$ outside of lists', '[{"@select": "$$.a"}]', /^\$\$\.a: \$\$ has a meaning only in @map/],
    [
      '$$ in the list argument',
      '[{"@select": {"@any": [true, "$$.a"]}}]',
      /^\$\$\.a: \$\$ has a meaning only/,
    ],
    ['a key that sets nothing', '[{"@project": {"$": 1}}]', /^the key \$ sets nothing/],
    ['a key with ..', '[{"@project": {"$..a": 1}}]', /^the key \$\.\.a holds \.\./],
  ])('says so of %s', (_, pipeline, message) => {
    expect(problemsOf(withPipeline(pipeline)).map((problem) => problem.message)).toEqual([
      expect.stringMatching(message),
    ])
  })

  it.each<[string, string, RegExp]>([
    ['a source without a kind', '{ apiGroup: "" }', /^expected a kind$/],
    [
      'an unknown type',
      '{ kind: A, type: Watch }',
      /^type: expected one of Watcher, OneShot, Periodic, found "Watch"$/,
    ],
    ['an unknown predicate', '{ kind: A, predicate: LabelsChanged }', /did you mean LabelChanged\?$/],
    [
      'a predicate in small letters',
      '{ kind: A, predicate: { and: [] } }',
      /^predicate: expected one of And, Or and Not, found "and"$/,
    ],
    [
      'Not of two',
      '{ kind: A, predicate: { Not: [LabelChanged, LabelChanged] } }',
      /^Not: expected one predicate$/,
    ],
    [
      'a period that is none',
      '{ kind: A, type: Periodic, parameters: { period: often } }',
      /^period: expected 1ms to 596h/,
    ],
    [
      'a label selector that is none',
      '{ kind: A, labelSelector: { matchExpressions: [{ key: a, operator: Gt }] } }',
      /^label selector: expected one of the operators In/,
    ],
  ])('says so of %s', (_, source, message) => {
    expect(problemsOf(withSource(source)).map((problem) => problem.message)).toEqual([
      expect.stringMatching(message),
    ])
  })

  it('names the field of which one is nearly the name', () => {
    const text = `controllrs: []
controllers:
  - name: c
    souces: []
    sources: [{ kind: A, apigroup: "", namepsace: x, labelSelector: { matchlabels: { app: web } } }]
    pipline: []
    target: { kind: V, typ: Patcher }
`
    expect(problemsOf(text).map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      '1:1 there is no field controllrs; did you mean controllers?',
      '4:5 there is no field souces; did you mean sources?',
      '5:26 there is no field apigroup; did you mean apiGroup?',
      '5:40 there is no field namepsace; did you mean namespace?',
      '5:71 there is no field matchlabels; did you mean matchLabels?',
      '6:5 there is no field pipline; did you mean pipeline?',
      '7:24 there is no field typ; did you mean type?',
    ])
  })

  it.each<[string, string, RegExp]>([
    ['no YAML', 'controllers: [', /^not YAML: /],
    ['nothing', '', /^spec: expected a map, found null$/],
    ['no controllers', 'other: 1', /^expected a list of controllers/],
    ['another kind', 'kind: Pod', /^expected the kind Operator, found "Pod"$/],
    ['two documents', 'controllers: []\n---\ncontrollers: []', /^a second document; expected one$/],
    ['a key twice', 'controllers: []\ncontrollers: []', /^the key "controllers" stands here twice$/],
  ])('says so of %s', (_, text, message) => {
    expect(problemsOf(text).map((problem) => problem.message)).toContainEqual(expect.stringMatching(message))
  })

  it('is refused when its aliases stand for more than anybody writes', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const alias = `*a${level - 1}`
      const items = level === 0 ? Array(10).fill('x') : Array(10).fill(alias)
      return `a${level}: &a${level} [${items.join(', ')}]`
    })
    expect(problemsOf(levels.join('\n'))[0]?.message).toBe('expected at most 200000 values')
  })

  it('is refused when it is nested deeper than anybody writes', () => {
    const deep = `${'{"@not": '.repeat(200)}true${'}'.repeat(200)}`
    expect(problemsOf(withPipeline(`[{"@select": ${deep}}]`))[0]?.message).toBe(
      'expected at most 100 levels of expressions',
    )
  })
})
