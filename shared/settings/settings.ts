import * as v from 'valibot'
import { nearest, safeParse, strictObject } from '../schema/index.ts'
import { CONTENT_SCHEMAS } from './content-settings.ts'
import { contradictions } from './contradictions.ts'
import { PROCESS_SCHEMAS } from './process-settings.ts'
import { metaOf, type SettingMeta } from './setting.ts'

/** Checks each setting alone, as flags, environments and values of other programs give it. */
export const SETTING_SCHEMAS = { ...CONTENT_SCHEMAS, ...PROCESS_SCHEMAS } as const

const SCHEMA = v.pipe(
  strictObject(SETTING_SCHEMAS),
  v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
    if (typed)
      for (const { name, message } of contradictions(value))
        addIssue({
          message,
          path: [{ type: 'unknown', origin: 'value', input: value, key: name, value: undefined }],
        })
  }),
)

/** Every setting with its unit in the field’s documentation: seconds, counts or names. */
export type Settings = v.InferOutput<typeof SCHEMA>
export type Mode = Settings['mode']
export type SettingName = keyof Settings
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

/** A variable that means nothing, and the one of a setting that it was most likely meant to be. */
interface MisspeltVariable {
  readonly variable: string
  readonly meant: string
}

const PREFIX = 'SLICEFLOW_'

/**
 * Finds environment variables that are probably misspelled settings: without a report the setting would
 * silently have its default. Variables with the same prefix but another form, such as those that Kubernetes
 * sets for a Service named sliceflow, are ignored.
 */
export function misspeltVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MisspeltVariable[] {
  const known = new Set(describeSettings().map(({ name }) => variableOf(name).slice(PREFIX.length)))
  return Object.keys(environment).flatMap((variable) => {
    const name = variable.slice(PREFIX.length)
    if (!variable.startsWith(PREFIX) || known.has(name)) return []
    const meant = nearest(name, known)
    return meant === undefined ? [] : [{ variable, meant: PREFIX + meant }]
  })
}

/**
 * Describes a misspelt variable: `SLICEFLOW_SHADOWS: is not the variable of a setting; did you mean
 * SLICEFLOW_SHADOW?`
 */
export const describeMisspelt = ({ variable, meant }: MisspeltVariable): string =>
  `${variable}: is not the variable of a setting; did you mean ${meant}?`

/** Stands for `auto` where one time is asked for. */
const AUTO_WINDOW_SECONDS = 0.5

/**
 * Returns the coalescing window of a change that is no more urgent than others, in seconds; 0.5 with `auto`.
 */
export const windowSeconds = ({ coalescingWindow }: Pick<Settings, 'coalescingWindow'>): number =>
  coalescingWindow === 'auto' ? AUTO_WINDOW_SECONDS : coalescingWindow

/** Returns the share of Services that are recorded, 0 to 1. */
export function recordedShare({ recording }: Pick<Settings, 'recording'>): number {
  if (typeof recording === 'number') return recording
  return recording === 'on' ? 1 : 0
}
