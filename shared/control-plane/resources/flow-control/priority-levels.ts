import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { keepBootstrapObjects } from './keeper.ts'
import { validatePriorityLevel } from './priority-level-validation.ts'
import { generations } from './status.ts'

const DEFAULT_SHARES = 30
const QUEUING: JsonObject = { queues: 64, handSize: 8, queueLengthLimit: 50 }

/** How much of the server a level's requests may have (KEP-1040). They queue nothing here: see the README. */
export const priorityLevels: ResourceDefinition = {
  ...builtInKind('flowcontrol.apiserver.k8s.io', 'PriorityLevelConfiguration'),
  namespaced: false,
  hasStatus: true,
  statusKeepsMetadata: true,
  table: tableOf('prioritylevelconfigurations', priorityLevelCells),
  strategy: { ...generations, setDefaults, validate: errorsBy(validatePriorityLevel) },
  lifecycle: { start: keepBootstrapObjects('prioritylevelconfigurations') },
}

function setDefaults(level: KubeObject): void {
  const spec = { ...objectAt(level, 'spec') }
  if (isObject(spec.exempt))
    spec.exempt = { nominalConcurrencyShares: 0, lendablePercent: 0, ...present(spec.exempt) }
  if (isObject(spec.limited)) spec.limited = withLimitedDefaults(spec.limited)
  level.spec = spec
}

function withLimitedDefaults(limited: JsonObject): JsonObject {
  const response = objectAt(limited, 'limitResponse')
  const { queuing } = response
  return {
    nominalConcurrencyShares: DEFAULT_SHARES,
    lendablePercent: 0,
    ...present(limited),
    limitResponse: {
      ...response,
      ...(isObject(queuing) ? { queuing: { ...QUEUING, ...nonZero(queuing) } } : {}),
    },
  }
}

/** Removes members that are null, which count as absent. */
const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))

const nonZero = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== 0))

function priorityLevelCells(level: KubeObject) {
  const spec = objectAt(level, 'spec')
  const { limited } = spec
  const queuing = objectAt(objectAt(spec, 'limited'), 'limitResponse').queuing
  const shown = (parent: JsonObject | undefined, member: string) =>
    parent === undefined ? '<none>' : (numberAt(parent, member) ?? 0)
  const queues = isObject(queuing) ? queuing : undefined
  return {
    Type: stringAt(spec, 'type'),
    NominalConcurrencyShares: shown(isObject(limited) ? limited : undefined, 'nominalConcurrencyShares'),
    Queues: shown(queues, 'queues'),
    HandSize: shown(queues, 'handSize'),
    QueueLengthLimit: shown(queues, 'queueLengthLimit'),
  }
}
