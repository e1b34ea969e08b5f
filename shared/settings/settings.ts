import * as v from 'valibot'
import { nearest, safeParse, strictObject } from '../schema/index.ts'
import { CONTENT_SCHEMAS } from './content-settings.ts'
import { PROCESS_SCHEMAS } from './process-settings.ts'
import { metaOf, type SettingMeta } from './setting.ts'

/** Checks each setting alone, as flags, environments and values of other programs give it. */
export const SETTING_SCHEMAS = { ...CONTENT_SCHEMAS, ...PROCESS_SCHEMAS } as const

/** Every setting with its unit in the field’s documentation: seconds, counts or names. */
export type Settings = {
  [Name in keyof typeof SETTING_SCHEMAS]: v.InferOutput<(typeof SETTING_SCHEMAS)[Name]>
}
export type Mode = Settings['mode']
export type SettingName = keyof Settings

/** The managed-by value of kube-controller-manager's controller for Services with a selector. */
const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'

/** A setting, in its range, that others leave no room for. */
interface Contradiction {
  readonly name: SettingName
  readonly isThere: (settings: Settings) => boolean
  /** Says what is wrong, and what is nearest. */
  readonly message: string
}

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    name: 'batchSize',
    isThere: ({ batchSize, batchWindow }) => batchSize > 10 && batchWindow < 1,
    message:
      'above 10 needs a batch window of at least 1 s (a rule of Lambda’s event source mappings for SQS)',
  },
  {
    name: 'managedBy',
    isThere: ({ mode, managedBy }) => mode === 'custom' && managedBy === IN_TREE_CONTROLLER,
    message: `${IN_TREE_CONTROLLER} is the in-tree controller’s, and in mode custom the slices of every Service with a selector stay its own: set mode to replace to take them over (with that controller off), or leave managedBy out`,
  },
  {
    name: 'endpointSelectors',
    isThere: ({ endpointSelectors, managedBy }) => endpointSelectors && managedBy === IN_TREE_CONTROLLER,
    message: `slices of EndpointSelectors never carry the in-tree controller’s value ${IN_TREE_CONTROLLER}: leave managedBy out, or endpointSelectors`,
  },
  {
    name: 'serviceProjection',
    isThere: ({ serviceProjection, endpointSelectors }) => serviceProjection && !endpointSelectors,
    message: 'needs endpointSelectors, without which EndpointSelectors are not watched',
  },
  {
    name: 'relayStandby',
    isThere: ({ relayStandby, shadow }) => relayStandby && shadow,
    message:
      'a shadow compares slices that are not as Sliceflow writes them: a standby cannot tell which are wrong',
  },
  {
    name: 'relayStandby',
    isThere: ({ relayStandby, stateDir }) => relayStandby && stateDir !== '',
    message: 'a standby keeps no checkpoint: leave stateDir to the relay that it stands by for',
  },
]

const SCHEMA = v.pipe(
  strictObject(SETTING_SCHEMAS),
  v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
    if (!typed) return
    for (const { name: key, isThere, message } of CONTRADICTIONS)
      if (isThere(value))
        addIssue({
          message,
          path: [{ type: 'unknown', origin: 'value', input: value, key, value: undefined }],
        })
  }),
)

export type SettingsInput = { readonly [Name in SettingName]?: unknown }

/** A setting that cannot be used; the message names it, says what is wrong and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Checks settings and fills in the defaults.
 * @param nameOf how the reader knows a setting: as a flag, an environment variable, a prop
 * @throws SettingsError naming every setting that is unknown or out of range, with its value, what is allowed
 *   and what is nearest
 */
export function parseSettings(
  input: SettingsInput,
  nameOf: (name: string) => string = (name) => name,
): Settings {
  const result = safeParse(SCHEMA, input)
  if (result.success) return result.data
  const problems = result.issues.flatMap(
    ({ path, message, unknownMembers }) =>
      unknownMembers?.map((name) => unknownSetting(name, nameOf)) ?? [
        `${nameOf(String(path[0]))}: ${message}`,
      ],
  )
  throw new SettingsError(problems.join('; '))
}

function unknownSetting(name: string, nameOf: (name: string) => string): string {
  const meant = nearest(name, Object.keys(SETTING_SCHEMAS))
  return `${nameOf(name)}: is not a setting${meant === undefined ? '' : `; did you mean ${nameOf(meant)}?`}`
}

/**
 * Checks one setting alone, of a program that needs no other.
 * @param nameOf as of {@link parseSettings}
 * @throws SettingsError
 */
export function parseSetting<Name extends SettingName>(
  name: Name,
  value: unknown,
  nameOf: (name: string) => string = (text) => text,
): Settings[Name] {
  const result = safeParse(SETTING_SCHEMAS[name], value)
  if (result.success) return result.data as Settings[Name]
  throw new SettingsError(result.issues.map(({ message }) => `${nameOf(name)}: ${message}`).join('; '))
}

export interface SettingDescription extends SettingMeta {
  readonly name: SettingName
}

/** Describes each setting in one line of help or documentation, in the order of the schema. */
export function describeSettings(): SettingDescription[] {
  return (Object.keys(SETTING_SCHEMAS) as SettingName[]).map((name) => ({
    name,
    ...metaOf(SETTING_SCHEMAS[name]),
  }))
}

/** Names the flag of a setting: `maxEndpointsPerSlice` → `--max-endpoints-per-slice`. */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Names the variable of a setting: `maxEndpointsPerSlice` → `SLICEFLOW_MAX_ENDPOINTS_PER_SLICE`. */
export const variableOf = (name: string): string =>
  `SLICEFLOW_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

const PREFIX = 'SLICEFLOW_'

/**
 * Describes environment variables that are probably misspelled settings: without a report the setting would
 * silently have its default. Variables with the same prefix but another form, such as those that Kubernetes
 * sets for a Service named sliceflow, are ignored.
 */
export function misspeltVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(describeSettings().map(({ name }) => variableOf(name).slice(PREFIX.length)))
  return Object.keys(environment).flatMap((variable) => {
    const name = variable.slice(PREFIX.length)
    if (!variable.startsWith(PREFIX) || known.has(name)) return []
    const meant = nearest(name, known)
    if (meant === undefined) return []
    return [`${variable}: is not the variable of a setting; did you mean ${PREFIX}${meant}?`]
  })
}

/** Stands for `auto` where one time is asked for. */
const AUTO_WINDOW_SECONDS = 0.5

/** Returns the coalescing window of an ordinary change, in seconds; 0.5 with `auto`. */
export const windowSeconds = ({ coalescingWindow }: Pick<Settings, 'coalescingWindow'>): number =>
  coalescingWindow === 'auto' ? AUTO_WINDOW_SECONDS : coalescingWindow

/** Returns the share of Services that are recorded, 0 to 1. */
export function recordedShare({ recording }: Pick<Settings, 'recording'>): number {
  if (typeof recording === 'number') return recording
  return recording === 'on' ? 1 : 0
}
