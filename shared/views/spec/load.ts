import { readFile } from 'node:fs/promises'
import { describe, entryOf, type Located, type LocatedMap, Problems, readYaml } from '../source/index.ts'
import { readController } from './controller.ts'
import { asMap, checkKeys, listField, mapField, textField } from './fields.ts'
import type { OperatorSpec } from './spec.ts'

export interface LoadOptions {
  /** Name of the text in problems; default `spec`. */
  readonly file?: string
  /** The operator's name where the text has none (a bare `controllers:` list); default `op`. */
  readonly name?: string
}

/**
 * Reads and checks a spec: a bare `controllers:` list, or an object of `kind: Operator`; YAML or JSON.
 * @throws SpecError with everything that is wrong with it
 * @example
 * ```ts
 * const spec = loadSpec(`
 * controllers:
 *   - name: names
 *     sources: [{ apiGroup: "", kind: Service }]
 *     pipeline: [{ "@project": { metadata: { name: $.metadata.name, namespace: $.metadata.namespace } } }]
 *     target: { kind: Name }
 * `)
 * spec.controllers.map(({ name }) => name) // => ['names']
 * loadSpec('controllers: none') // throws /controllers/
 * ```
 */
export function loadSpec(text: string, { file = 'spec', name = 'op' }: LoadOptions = {}): OperatorSpec {
  const problems = new Problems(file)
  const root = readYaml(text, problems)
  problems.throwIfAny()
  const spec = readOperator(root ?? EMPTY, name, problems)
  problems.throwIfAny()
  return spec
}

/**
 * Reads and checks the spec in a file.
 * @throws SpecError, or Node's error if the file cannot be read
 * @example
 * ```ts
 * const spec = await loadSpecFile('names.yaml')
 * spec.controllers.length // => 1
 * ```
 */
export async function loadSpecFile(
  file: string,
  options: Omit<LoadOptions, 'file'> = {},
): Promise<OperatorSpec> {
  return loadSpec(await readFile(file, 'utf8'), { ...options, file })
}

const EMPTY: Located = { kind: 'scalar', place: { line: 1, column: 1 }, value: null }

function readOperator(root: Located, defaultName: string, problems: Problems): OperatorSpec {
  const nothing = { name: defaultName, controllers: [] }
  const map = asMap(root, 'spec', problems)
  if (map === undefined) return nothing
  checkKeys(map, ['kind', 'metadata', 'spec', 'controllers'], problems)
  const kind = textField(map, 'kind', problems)
  if (kind === undefined && entryOf(map, 'spec') === undefined)
    return readControllers(map, defaultName, problems)
  if (kind !== 'Operator') {
    const found = kind === undefined ? 'none' : JSON.stringify(kind)
    problems.add(entryOf(map, 'kind')?.place ?? map.place, `expected the kind Operator, found ${found}`)
    return nothing
  }
  const metadata = mapField(map, 'metadata', problems)
  const name = metadata === undefined ? undefined : textField(metadata, 'name', problems)
  if (name === undefined || name === '')
    problems.add(metadata?.place ?? map.place, 'expected a name in metadata')
  const spec = mapField(map, 'spec', problems)
  if (spec === undefined) problems.add(map.place, 'expected spec.controllers')
  return spec === undefined ? nothing : readControllers(spec, name ?? defaultName, problems)
}

function readControllers(map: LocatedMap, name: string, problems: Problems): OperatorSpec {
  const nodes = listField(map, 'controllers', problems)
  if (entryOf(map, 'controllers') === undefined || nodes?.length === 0) {
    problems.add(map.place, `expected a list of controllers, found ${describe(map)}`)
  }
  checkNames(nodes ?? [], problems)
  const controllers = (nodes ?? []).flatMap((node) => readController(node, name, problems) ?? [])
  return { name, controllers }
}

function checkNames(controllers: readonly Located[], problems: Problems): void {
  const names = new Set<unknown>()
  for (const controller of controllers) {
    const node = controller.kind === 'map' ? entryOf(controller, 'name') : undefined
    if (node?.kind !== 'scalar') continue
    if (names.has(node.value)) {
      problems.add(
        node.place,
        `a second controller named ${JSON.stringify(node.value)}; expected another name`,
      )
    }
    names.add(node.value)
  }
}
