import type { ControllerSpec, OperatorSpec, ResourceSpec, StepSpec } from '../spec/index.ts'

/** A spec as nodes and arrows: kinds of objects, and the controllers between them. */
interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  readonly id: string
  readonly type: 'object' | 'view' | 'controller'
  readonly lines: readonly string[]
}

interface GraphEdge {
  readonly from: string
  readonly to: string
  /** Empty for a plain watch or update. */
  readonly label: string
}

export function graphOf({ controllers }: OperatorSpec): Graph {
  const kinds = new Map<string, GraphNode>()
  const nodeOf = (resource: ResourceSpec): string => {
    const name = `${resource.kind}.${resource.group}`
    const known = kinds.get(name) ?? kindNode(resource, kinds.size)
    kinds.set(name, known)
    return known.id
  }
  const edges = controllers.flatMap(({ sources, target }, number) => [
    ...sources.map((source) => ({
      from: nodeOf(source),
      to: `c${number}`,
      label: source.type === 'Watcher' ? '' : source.type,
    })),
    { from: `c${number}`, to: nodeOf(target), label: target.type === 'Updater' ? '' : target.type },
  ])
  return { nodes: [...kinds.values(), ...controllers.map(controllerNode)], edges }
}

function kindNode({ kind, group, isView }: ResourceSpec, number: number): GraphNode {
  const lines = isView || group === '' ? [kind] : [kind, group]
  return { id: `k${number}`, type: isView ? 'view' : 'object', lines }
}

function controllerNode({ name, pipeline: { join, steps } }: ControllerSpec, number: number): GraphNode {
  const lines = [name, ...(join === undefined ? [] : ['@join']), ...steps.map(stepText)]
  return { id: `c${number}`, type: 'controller', lines }
}

const stepText = (step: StepSpec): string =>
  step.op === '@unwind' ? `${step.op} ${step.path.text}` : step.op
