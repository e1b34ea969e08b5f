import type { OperatorSpec } from '../spec/index.ts'
import { type GraphNode, graphOf } from './graph.ts'

const SHAPES = { object: 'cylinder', view: 'ellipse', controller: 'box' } as const

/**
 * Draws the spec in Graphviz' language.
 * @example
 * ```ts
 * dot(await loadSpecFile('names.yaml')).split('\n')[0] // => 'digraph views {'
 * ```
 */
export function dot(spec: OperatorSpec): string {
  const { nodes, edges } = graphOf(spec)
  const arrows = edges.map(
    ({ from, to, label }) => `  ${from} -> ${to}${label === '' ? '' : ` [label=${quote(label)}]`};`,
  )
  return `${['digraph views {', '  rankdir=LR;', ...nodes.map(nodeLine), ...arrows, '}'].join('\n')}\n`
}

const nodeLine = ({ id, type, lines }: GraphNode): string =>
  `  ${id} [shape=${SHAPES[type]}, label="${lines.map(escapeText).join('\\n')}"];`

const quote = (text: string): string => `"${escapeText(text)}"`
const escapeText = (text: string): string => text.replace(/["\\]/g, '\\$&').replace(/\s+/g, ' ')
