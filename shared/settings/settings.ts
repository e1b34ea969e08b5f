import * as z from 'zod/mini'
import { nearest, safeParse } from '../schema/index.ts'
import { CONTENT_SCHEMAS } from './content-settings.ts'
import { contradictions } from './contradictions.ts'
import { PROCESS_SCHEMAS } from './process-settings.ts'
import { metaOf, type SettingMeta } from './setting.ts'

/** Checks each setting alone, as flags, environments and values of other programs give it. */
export const SETTING_SCHEMAS = { ...CONTENT_SCHEMAS, ...PROCESS_SCHEMAS } as const

const SCHEMA = z.strictObject(SETTING_SCHEMAS).check(
  z.superRefine((value, context) => {
    for (const { name, message } of contradictions(value))
      context.addIssue({ code: 'custom', path: [name], message })
  }),
)

/** Every setting with its unit in the field’s documentation: seconds, counts or names. */
export type Settings = z.output<typeof SCHEMA>
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
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownSetting(key, nameOf))
      : [`${nameOf(String(issue.path[0]))}: ${issue.message}`],
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
  throw new SettingsError(result.error.issues.map(({ message }) => `${nameOf(name)}: ${message}`).join('; '))
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
