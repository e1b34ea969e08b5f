import type { ComprehensionNode, Node } from './nodes.ts'
import { SyntaxIssue } from './source.ts'

/** A call that may be a macro. */
interface Call {
  readonly at: number
  readonly target: Node | undefined
  readonly args: readonly Node[]
}

type Expand = (call: Call & { readonly target: Node }) => Node

/** The name that comprehensions gather their result under; no expression can contain it. */
const RESULT = '@result'

/** Expands a macro; undefined for any other call. Throws SyntaxIssue for a macro with wrong arguments. */
export function expandMacro(name: string, { at, target, args }: Call): Node | undefined {
  if (!target) return name === 'has' && args.length === 1 ? presence(at, args[0]) : undefined
  return MACROS.get(`${name}:${args.length}`)?.({ at, target, args })
}

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['all:2', (call) => all(call, variablesOf(call, 1))],
  ['all:3', (call) => all(call, variablesOf(call, 2))],
  ['exists:2', (call) => exists(call, variablesOf(call, 1))],
  ['exists:3', (call) => exists(call, variablesOf(call, 2))],
  ['exists_one:2', (call) => existsOne(call, variablesOf(call, 1))],
  ['exists_one:3', (call) => existsOne(call, variablesOf(call, 2))],
  ['existsOne:3', (call) => existsOne(call, variablesOf(call, 2))],
  ['map:2', (call) => mapped(call, undefined, argument(call, 1))],
  ['map:3', (call) => mapped(call, argument(call, 1), argument(call, 2))],
  ['filter:2', (call) => mapped(call, argument(call, 1), argument(call, 0))],
  ['transformList:3', (call) => transformList(call, undefined, argument(call, 2))],
  ['transformList:4', (call) => transformList(call, argument(call, 2), argument(call, 3))],
  ['transformMap:3', (call) => transformMap(call, undefined, argument(call, 2))],
  ['transformMap:4', (call) => transformMap(call, argument(call, 2), argument(call, 3))],
  ['transformMapEntry:3', (call) => transformMapEntry(call, undefined, argument(call, 2))],
  ['transformMapEntry:4', (call) => transformMapEntry(call, argument(call, 2), argument(call, 3))],
  ['optMap:2', (call) => optional(call, (value) => invoke('optional.of', call.at, [value]))],
  ['optFlatMap:2', (call) => optional(call, (value) => value)],
  ['sortBy:2', sortBy],
])

function presence(at: number, node: Node | undefined): Node {
  if (node?.kind === 'select' && !node.testOnly) return { ...node, at, testOnly: true }
  throw new SyntaxIssue('invalid argument to has() macro', node?.at ?? at)
}

interface Variables {
  readonly variable: string
  readonly second: string | undefined
}

function variablesOf(call: Call, count: 1 | 2): Variables {
  const name = (index: number): string => {
    const node = argument(call, index)
    if (node.kind === 'ident' && !node.name.startsWith('.')) {
      if (node.name === RESULT || node.name === '__result__')
        throw new SyntaxIssue('iteration variable overwrites accumulator variable', node.at)
      return node.name
    }
    throw new SyntaxIssue('argument must be a simple name', node.at)
  }
  const variable = name(0)
  const second = count === 2 ? name(1) : undefined
  if (second === variable) throw new SyntaxIssue(`duplicate variable name: ${variable}`, argument(call, 1).at)
  return { variable, second }
}

function argument({ at, args }: Call, index: number): Node {
  const node = args[index]
  if (!node) throw new SyntaxIssue('missing argument', at)
  return node
}

const lastOf = (call: Call): Node => argument(call, call.args.length - 1)
const constant = (at: number, value: boolean | bigint): Node => ({ kind: 'constant', at, value })
const invoke = (name: string, at: number, args: readonly Node[]): Node => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
})
const result = (at: number): Node => ({ kind: 'ident', at, name: RESULT })

type Fold = Pick<ComprehensionNode, 'init' | 'condition' | 'step'> & { readonly result?: Node }

function fold({ at, target }: Call & { target: Node }, variables: Variables, how: Fold): Node {
  return {
    kind: 'comprehension',
    at,
    range: target,
    ...variables,
    accumulator: RESULT,
    result: result(at),
    ...how,
  }
}

function all(call: Call & { target: Node }, variables: Variables): Node {
  const { at } = call
  return fold(call, variables, {
    init: constant(at, true),
    condition: invoke('@not_strictly_false', at, [result(at)]),
    step: invoke('_&&_', at, [result(at), lastOf(call)]),
  })
}

function exists(call: Call & { target: Node }, variables: Variables): Node {
  const { at } = call
  return fold(call, variables, {
    init: constant(at, false),
    condition: invoke('@not_strictly_false', at, [invoke('!_', at, [result(at)])]),
    step: invoke('_||_', at, [result(at), lastOf(call)]),
  })
}

function existsOne(call: Call & { target: Node }, variables: Variables): Node {
  const { at } = call
  const more = invoke('_+_', at, [result(at), constant(at, 1n)])
  return fold(call, variables, {
    init: constant(at, 0n),
    condition: constant(at, true),
    step: invoke('_?_:_', at, [lastOf(call), more, result(at)]),
    result: invoke('_==_', at, [result(at), constant(at, 1n)]),
  })
}

const onlyWhere = (at: number, filter: Node | undefined, step: Node): Node =>
  filter ? invoke('_?_:_', at, [filter, step, result(at)]) : step

function mapped(call: Call & { target: Node }, filter: Node | undefined, value: Node): Node {
  return gathered(call, variablesOf(call, 1), { filter, value })
}

function transformList(call: Call & { target: Node }, filter: Node | undefined, value: Node): Node {
  return gathered(call, variablesOf(call, 2), { filter, value })
}

function gathered(
  call: Call & { target: Node },
  variables: Variables,
  { filter, value }: { readonly filter: Node | undefined; readonly value: Node },
): Node {
  const { at } = call
  const item: Node = { kind: 'list', at, elements: [{ value, optional: false }] }
  return fold(call, variables, {
    init: { kind: 'list', at, elements: [] },
    condition: constant(at, true),
    step: onlyWhere(at, filter, invoke('_+_', at, [result(at), item])),
  })
}

function transformMap(call: Call & { target: Node }, filter: Node | undefined, value: Node): Node {
  const { at } = call
  const variables = variablesOf(call, 2)
  const key: Node = { kind: 'ident', at, name: variables.variable }
  return intoMap(call, variables, filter, [key, value])
}

function transformMapEntry(call: Call & { target: Node }, filter: Node | undefined, entry: Node): Node {
  return intoMap(call, variablesOf(call, 2), filter, [entry])
}

function intoMap(
  call: Call & { target: Node },
  variables: Variables,
  filter: Node | undefined,
  inserted: readonly Node[],
): Node {
  const { at } = call
  return fold(call, variables, {
    init: { kind: 'map', at, entries: [] },
    condition: constant(at, true),
    step: onlyWhere(at, filter, invoke('cel.@mapInsert', at, [result(at), ...inserted])),
  })
}

/** Binds a variable for one expression, by a fold that never takes a step. */
function bind(at: number, name: string, value: Node, body: Node): Node {
  return {
    kind: 'comprehension',
    at,
    range: { kind: 'list', at, elements: [] },
    variable: '#unused',
    second: undefined,
    accumulator: name,
    init: value,
    condition: constant(at, false),
    step: { kind: 'ident', at, name },
    result: body,
  }
}

function optional(call: Call & { target: Node }, wrap: (value: Node) => Node): Node {
  const { at, target } = call
  const { variable } = variablesOf(call, 1)
  const method = (name: string): Node => ({ kind: 'call', at, name, target, args: [] })
  return invoke('_?_:_', at, [
    method('hasValue'),
    wrap(bind(at, variable, method('value'), lastOf(call))),
    invoke('optional.none', at, []),
  ])
}

const SORTED = '@__sortBy_input__'

function sortBy(call: Call & { target: Node }): Node {
  const { at, target } = call
  const input: Node = { kind: 'ident', at, name: SORTED }
  const keys = mapped({ ...call, target: input }, undefined, lastOf(call))
  const sorted: Node = { kind: 'call', at, name: '@sortByAssociatedKeys', target: input, args: [keys] }
  return bind(at, SORTED, target, sorted)
}
