import type { OperatorSpec } from '../spec/index.ts'
import { type GraphNode, graphOf } from './graph.ts'

const SHAPES = { object: ['[(', ')]'], view: ['([', '])'], controller: ['[', ']'] } as const

/**
 * Draws the spec as a Mermaid flowchart.
 * @example
 * ```ts
 * mermaid(await loadSpecFile('names.yaml')).split('\n')[0] // => 'flowchart LR'
 * ```
 */
export function mermaid(spec: OperatorSpec): string {
  const { nodes, edges } = graphOf(spec)
  const arrows = edges.map(({ from, to, label }) => `  ${from} -->${label === '' ? '' : `|${label}|`} ${to}`)
  return `${['flowchart LR', ...nodes.map(nodeLine), ...arrows].join('\n')}\n`
}

function nodeLine({ id, type, lines }: GraphNode): string {
  const [open, close] = SHAPES[type]
  return `  ${id}${open}"${lines.map(escapeText).join('<br/>')}"${close}`
}

/** Entities as Mermaid writes them; what a spec says must not become markup. */
const escapeText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} $.@_/-]/gu, (sign) => `#${sign.codePointAt(0)};`)
