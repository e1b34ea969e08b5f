import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
} from 'yaml'
import type { Located, LocatedEntry, Place } from './located.ts'
import type { Problems } from './problems.ts'

/** Values that a text may hold once aliases are followed: an alias of aliases can stand for billions. */
const MAX_VALUES = 200_000

/** Reads YAML or JSON; what cannot be read is added to the problems. */
export function readYaml(text: string, problems: Problems): Located | undefined {
  const lines = new LineCounter()
  // Duplicate keys are found here, where the problem can name both the key and its place.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [document, second] = Array.isArray(documents) ? documents.filter(saysAnything) : []
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  if (second !== undefined) problems.add(place(second.range[0]), 'a second document; expected one')
  if (document === undefined) return undefined
  for (const error of document.errors) problems.add(place(error.pos[0]), `not YAML: ${error.message}`)
  if (problems.any) return undefined
  return new Reader(document, problems, place).read(document.contents)
}

/** Comments alone say nothing, as for kubectl. */
const saysAnything = ({ contents, errors }: Document.Parsed): boolean =>
  errors.length > 0 || (isScalar(contents) ? contents.value : contents) !== null

class Reader {
  readonly #document: Document.Parsed
  readonly #problems: Problems
  readonly #place: (offset: number) => Place
  #valuesLeft = MAX_VALUES

  constructor(document: Document.Parsed, problems: Problems, place: (offset: number) => Place) {
    this.#document = document
    this.#problems = problems
    this.#place = place
  }

  read(node: Node | null, at: Place = this.#placeOf(node)): Located {
    if (--this.#valuesLeft === 0) this.#problems.add(at, `expected at most ${MAX_VALUES} values`)
    if (this.#valuesLeft <= 0 || node === null) return { kind: 'scalar', place: at, value: null }
    if (isAlias(node)) return this.read(node.resolve(this.#document) ?? null, at)
    const place = this.#placeOf(node)
    if (isSeq(node)) return { kind: 'list', place, items: node.items.map((item) => this.read(item as Node)) }
    if (isMap(node)) return { kind: 'map', place, entries: this.#entries(node.items as Pair<Node, Node>[]) }
    return { kind: 'scalar', place, value: this.#scalar(isScalar(node) ? node.value : null, place) }
  }

  #entries(pairs: readonly Pair<Node, Node>[]): LocatedEntry[] {
    const seen = new Set<string>()
    return pairs.map((pair) => {
      const place = this.#placeOf(pair.key)
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      if (!isScalar(pair.key)) this.#problems.add(place, 'expected a text as the key')
      if (seen.has(key)) this.#problems.add(place, `the key ${JSON.stringify(key)} stands here twice`)
      seen.add(key)
      return { key, place, value: this.read(pair.value, place) }
    })
  }

  #scalar(value: unknown, place: Place): null | boolean | number | string {
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    this.#problems.add(place, `expected a JSON value, found ${String(value)}`)
    return null
  }

  #placeOf(node: Node | null | undefined): Place {
    return this.#place(node?.range?.[0] ?? 0)
  }
}
