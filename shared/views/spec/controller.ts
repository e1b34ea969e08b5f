import {
  describe,
  entryOf,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  type Problems,
} from '../source/index.ts'
import { asMap, checkKeys, choiceField, listField, mapField, textField } from './fields.ts'
import { readPipeline } from './pipeline.ts'
import { RESOURCE_FIELDS, readResource } from './resource.ts'
import { readSource } from './source.ts'
import type { ControllerSpec, PipelineSpec, SourceSpec, TargetSpec } from './spec.ts'

const TARGET_TYPES = ['Updater', 'Patcher'] as const

export function readController(
  node: Located,
  operator: string,
  problems: Problems,
): ControllerSpec | undefined {
  const map = asMap(node, 'controller', problems)
  if (map === undefined) return undefined
  checkKeys(map, ['name', 'sources', 'pipeline', 'target'], problems)
  const name = textField(map, 'name', problems)
  if (name === '' || entryOf(map, 'name') === undefined)
    problems.add(map.place, 'controller: expected a name')
  const sources = readSources(map, operator, problems)
  const pipeline = readPipeline(entryOf(map, 'pipeline'), problems)
  checkJoin(map, { sources, pipeline }, problems)
  const target = readTarget(map, operator, problems)
  return name === undefined || target === undefined ? undefined : { name, sources, pipeline, target }
}

function readSources(map: LocatedMap, operator: string, problems: Problems): SourceSpec[] {
  const nodes = listField(map, 'sources', problems) ?? []
  if (nodes.length === 0 && entryOf(map, 'sources')?.kind !== 'map') {
    problems.add(
      entryOf(map, 'sources')?.place ?? map.place,
      'controller: expected at least one source in sources',
    )
  }
  const kinds = new Set<string>()
  return nodes.flatMap((node) => {
    const source = readSource(node, operator, problems)
    if (source === undefined) return []
    if (source.type !== 'Periodic' && kinds.has(source.kind)) {
      problems.add(
        node.place,
        `a second source of kind ${source.kind}; a join tells its sources apart by their kinds, expected another kind`,
      )
    }
    if (source.type !== 'Periodic') kinds.add(source.kind)
    return [source]
  })
}

/** Checks that several sources have a join, which alone can combine them. */
function checkJoin(
  map: LocatedMap,
  { sources, pipeline }: { sources: readonly SourceSpec[]; pipeline: PipelineSpec },
  problems: Problems,
): void {
  const inputs = sources.filter(({ type }) => type !== 'Periodic')
  if (inputs.length < 2 || pipeline.join !== undefined) return
  const place = pipelinePlace(map) ?? map.place
  problems.add(place, `expected @join as the first step: the controller has ${inputs.length} sources`)
}

const pipelinePlace = (map: LocatedMap): LocatedEntry['place'] | undefined =>
  map.entries.find(({ key }) => key === 'pipeline')?.place

function readTarget(map: LocatedMap, operator: string, problems: Problems): TargetSpec | undefined {
  const node = entryOf(map, 'target')
  const target = mapField(map, 'target', problems)
  if (target === undefined) {
    if (node === undefined) problems.add(map.place, 'controller: expected a target')
    return undefined
  }
  checkKeys(target, [...RESOURCE_FIELDS, 'type'], problems)
  if (target.entries.length === 0) problems.add(target.place, `expected a target, found ${describe(target)}`)
  const type = choiceField(target, 'type', TARGET_TYPES, problems) ?? 'Updater'
  const resource = target.entries.length === 0 ? undefined : readResource(target, operator, problems)
  return resource === undefined ? undefined : { ...resource, type }
}
