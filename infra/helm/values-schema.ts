import * as z from 'zod/mini'
import { toJSONSchema } from 'zod/v4/core'
import { describeSettings, NUMBERS, SETTING_SCHEMAS, type SettingName } from '../../shared/settings/index.ts'

const text = z.string()
const list = z.array(z.unknown())
const texts = z.record(z.string(), z.string())
const anything = z.record(z.string(), z.unknown())
const port = z.int().check(z.minimum(1), z.maximum(65_535))
/** The name of a cluster in a kubeconfig that the chart writes, or of a file. */
const name = text.check(z.regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/))

/** The name of an object of the namespace; empty: there is none. */
const objectName = text.check(z.regex(/^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$/))

/** A part of names that must be DNS labels; empty: the chart's own. */
const labelName = text.check(z.regex(/^([a-z]([a-z0-9-]{0,50}[a-z0-9])?)?$/))
const named = z.array(z.looseObject({ name: text.check(z.minLength(1)) }))

/** A duration as Prometheus has it. */
const duration = text.check(z.regex(/^([0-9]+(ms|s|m|h))+$/))

/** Values of the chart besides the settings of `run`. values.yaml says what each is for. */
const VALUES = z.strictObject({
  image: z.strictObject({
    repository: text.check(z.regex(/^([a-z0-9][a-zA-Z0-9._:/-]*)?$/)),
    tag: text.check(z.regex(/^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$/)),
    digest: text.check(z.regex(/^(sha256:[0-9a-f]{64})?$/)),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  }),
  imagePullSecrets: list,
  nameOverride: labelName,
  fullnameOverride: labelName,
  commonLabels: texts,
  hub: z.strictObject({ managed: z.boolean(), name }),
  kubeconfig: z.strictObject({
    secret: objectName,
    key: text.check(z.minLength(1)),
    contexts: z.array(text.check(z.minLength(1))),
    tokens: z.array(
      z.strictObject({
        name,
        audience: text.check(z.minLength(1)),
        expirationSeconds: z.optional(z.int().check(z.minimum(600), z.maximum(4_294_967_296))),
      }),
    ),
  }),
  fleet: z.strictObject({ enabled: z.boolean() }),
  preflight: z.strictObject({ enabled: z.boolean() }),
  admission: z.strictObject({ enabled: z.boolean() }),
  queue: z.strictObject({
    url: text.check(z.regex(/^(embedded|https?:\/\/.+)$/)),
    sweepUrl: text.check(z.regex(/^(https?:\/\/.+)?$/)),
    credentials: objectName,
  }),
  volume: z.strictObject({ claim: objectName }),
  record: text,
  logFormat: z.enum(['text', 'json']),
  metrics: z.strictObject({
    address: text.check(z.regex(/^[0-9a-fA-F.:]+$/)),
    port: port.check(z.minimum(1024)),
  }),
  serviceMonitor: z.strictObject({
    enabled: z.boolean(),
    interval: duration,
    scrapeTimeout: z.union([z.literal(''), duration]),
    labels: texts,
    annotations: texts,
    relabelings: list,
    metricRelabelings: list,
  }),
  prometheusRule: z.strictObject({ enabled: z.boolean(), labels: texts, job: text }),
  networkPolicy: z.strictObject({
    enabled: z.boolean(),
    metricsFrom: z.array(anything),
    egressPorts: z.array(port).check(z.minLength(1)),
  }),
  podDisruptionBudget: z.strictObject({ enabled: z.boolean() }),
  serviceAccount: z.strictObject({ annotations: texts, labels: texts }),
  resources: anything,
  nodeSelector: texts,
  tolerations: list,
  affinity: anything,
  topologySpreadConstraints: z.array(anything),
  priorityClassName: objectName,
  podLabels: texts,
  podAnnotations: texts,
  deploymentAnnotations: texts,
  revisionHistoryLimit: z.int().check(z.minimum(0)),
  podSecurityContext: anything,
  dnsPolicy: z.enum(['', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']),
  dnsConfig: anything,
  hostAliases: z.array(anything),
  extraEnv: named,
  extraVolumes: named,
  extraVolumeMounts: z.array(
    z.looseObject({ name: text.check(z.minLength(1)), mountPath: text.check(z.minLength(1)) }),
  ),
})

interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Makes the values.schema.json of the chart: every value, and every setting of `run` as the settings' own
 * schema has it.
 */
export function valuesSchema(): JsonSchema {
  const { properties, ...schema } = toJSONSchema(VALUES, { target: 'draft-7' }) as JsonSchema
  const settings = Object.fromEntries(
    describeSettings().map(({ name, description }) => [name, { description, ...settingSchema(name) }]),
  )
  return {
    ...schema,
    properties: {
      ...properties,
      settings: { type: 'object', properties: settings, additionalProperties: false },
      // Helm gives it to a chart that is part of another one.
      global: { type: 'object' },
      // The `condition` of a dependency in such a chart, which comes with the other values.
      enabled: { type: 'boolean' },
    },
  }
}

function settingSchema(name: SettingName): object {
  // Flags say it as text as well, which a file of values need not.
  if (SETTING_SCHEMAS[name]._zod.def.defaultValue === false) return { type: 'boolean' }
  const {
    $schema,
    default: _,
    ...schema
  } = toJSONSchema(SETTING_SCHEMAS[name], {
    target: 'draft-7',
    metadata: NUMBERS,
    unrepresentable: 'any',
  })
  // Helm reads `on` and `off` as booleans.
  if (name === 'recording')
    return { anyOf: [{ type: 'boolean' }, ...(schema.anyOf ?? []).map(withFractions)] }
  return name === 'traces' ? { anyOf: [{ const: false }, schema] } : withFractions(schema)
}

/** Helm's `--set` reads 0.5 as text. The program reads both, and refuses text that is out of the range. */
function withFractions(schema: { readonly [keyword: string]: unknown }): object {
  const { type, maximum, anyOf } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(withFractions) }
  if (type !== 'number') return schema
  return {
    ...schema,
    type: ['number', 'string'],
    pattern: maximum === 1 ? '^0\\.[0-9]+$' : '^[0-9]+\\.[0-9]+$',
  }
}
