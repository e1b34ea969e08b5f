import type { GenericSchema } from 'valibot'
import { describeSettings, NUMBERS, SETTING_SCHEMAS, type SettingName } from '../../shared/settings/index.ts'

interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** An object of these properties and no others, all of which values.yaml has. */
const object = (properties: Readonly<Record<string, JsonSchema>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const array = (items: JsonSchema, keywords: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  items,
  ...keywords,
})
const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
})
const matching = ({ source: pattern }: RegExp): JsonSchema => ({ type: 'string', pattern })
const oneOf = (...words: readonly string[]): JsonSchema => ({ type: 'string', enum: words })

const text: JsonSchema = { type: 'string' }
const someText: JsonSchema = { type: 'string', minLength: 1 }
const boolean: JsonSchema = { type: 'boolean' }
const enabled = object({ enabled: boolean })
const list = array({})
const texts: JsonSchema = { type: 'object', additionalProperties: text }
const anything: JsonSchema = { type: 'object' }
const port = integer(1, 65_535)
/** The name of a cluster in a kubeconfig that the chart writes, or of a file. */
const name = matching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/)

/** The name of an object of the namespace; empty: there is none. */
const objectName = matching(/^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/)

/** A part of names that must be DNS labels; empty: the chart's own. */
const labelName = matching(/^([a-z]([a-z0-9-]{0,50}[a-z0-9])?)?$/)
const named = array({ type: 'object', properties: { name: someText }, required: ['name'] })

/** A duration as Prometheus has it. */
const duration = matching(/^([0-9]+(ms|s|m|h))+$/)

/** Values of the chart besides the settings of `run`. values.yaml says what each is for. */
const VALUES = object({
  image: object({
    repository: matching(/^([a-z0-9][a-zA-Z0-9._:/-]*)?$/),
    tag: matching(/^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$/),
    digest: matching(/^(sha256:[0-9a-f]{64})?$/),
    pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  }),
  imagePullSecrets: list,
  nameOverride: labelName,
  fullnameOverride: labelName,
  commonLabels: texts,
  hub: object({ managed: boolean, name }),
  kubeconfig: object({
    secret: objectName,
    key: someText,
    contexts: array(someText),
    tokens: array({
      ...object({ name, audience: someText, expirationSeconds: integer(600, 4_294_967_296) }),
      required: ['name', 'audience'],
    }),
  }),
  fleet: enabled,
  preflight: enabled,
  admission: enabled,
  queue: object({
    url: matching(/^(embedded|https?:\/\/.+)$/),
    sweepUrl: matching(/^(https?:\/\/.+)?$/),
    credentials: objectName,
  }),
  volume: object({ claim: objectName }),
  record: text,
  logFormat: oneOf('text', 'json'),
  metrics: object({ address: matching(/^[0-9a-fA-F.:]+$/), port: integer(1024, 65_535) }),
  serviceMonitor: object({
    enabled: boolean,
    interval: duration,
    scrapeTimeout: { anyOf: [{ type: 'string', const: '' }, duration] },
    labels: texts,
    annotations: texts,
    relabelings: list,
    metricRelabelings: list,
  }),
  prometheusRule: object({ enabled: boolean, labels: texts, job: text }),
  networkPolicy: object({
    enabled: boolean,
    metricsFrom: array(anything),
    egressPorts: array(port, { minItems: 1 }),
  }),
  podDisruptionBudget: enabled,
  serviceAccount: object({ annotations: texts, labels: texts }),
  resources: anything,
  nodeSelector: texts,
  tolerations: list,
  affinity: anything,
  topologySpreadConstraints: array(anything),
  priorityClassName: objectName,
  podLabels: texts,
  podAnnotations: texts,
  deploymentAnnotations: texts,
  revisionHistoryLimit: integer(0),
  podSecurityContext: anything,
  dnsPolicy: oneOf('', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  dnsConfig: anything,
  hostAliases: array(anything),
  extraEnv: named,
  extraVolumes: named,
  extraVolumeMounts: array({
    type: 'object',
    properties: { name: someText, mountPath: someText },
    required: ['name', 'mountPath'],
  }),
})

/**
 * Makes the values.schema.json of the chart: every value, and every setting of `run` as the settings' own
 * schema has it.
 */
export function valuesSchema(): JsonSchema & { readonly properties: JsonSchema } {
  const { properties, ...schema } = VALUES
  const settings = Object.fromEntries(
    describeSettings().map(({ name, description }) => [name, { description, ...settingSchema(name) }]),
  )
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    properties: {
      ...properties,
      settings: { type: 'object', properties: settings, additionalProperties: false },
      // Helm gives it to a chart that is part of another one.
      global: { type: 'object' },
      // The `condition` of a dependency in such a chart, which comes with the other values.
      enabled: boolean,
    },
  }
}

function settingSchema(name: SettingName): JsonSchema {
  const { default: preset, wrapped } = SETTING_SCHEMAS[name]
  // Flags say it as text as well, which a file of values need not.
  if (preset === false) return boolean
  const schema = jsonSchemaOf(wrapped)
  // Helm reads `on` and `off` as booleans.
  if (name === 'recording') return { anyOf: [boolean, ...(schema.anyOf as JsonSchema[])] }
  return name === 'traces' ? { anyOf: [{ const: false }, schema] } : schema
}

/** Describes the values that a schema of the settings accepts. */
function jsonSchemaOf(schema: GenericSchema & { readonly options?: readonly unknown[] }): JsonSchema {
  const { type, options = [] } = schema
  if (type === 'picklist') return { type: 'string', enum: options }
  if (type === 'union') return { anyOf: (options as readonly GenericSchema[]).map(jsonSchemaOf) }
  const bounds = NUMBERS.get(schema)
  return bounds === undefined ? text : withFractions(bounds)
}

/** Helm's `--set` reads 0.5 as text. The program reads both, and refuses text that is out of the range. */
function withFractions(schema: JsonSchema): JsonSchema {
  const { type, maximum } = schema
  if (type !== 'number') return schema
  return {
    ...schema,
    type: ['number', 'string'],
    pattern: maximum === 1 ? '^0\\.[0-9]+$' : '^[0-9]+\\.[0-9]+$',
  }
}
