import {
  type DeploymentSettingName,
  describeDeploymentSettings,
  SETTINGS_OF_A_RELAY,
} from './deployment-settings.ts'

const NOT_TO_BE_SET: readonly DeploymentSettingName[] = SETTINGS_OF_A_RELAY

/** Describes the settings that a deployment may be given. */
export const describeSettable = (): ReturnType<typeof describeDeploymentSettings> =>
  describeDeploymentSettings().filter(({ name }) => !NOT_TO_BE_SET.includes(name))

/** Returns the table of settings in infra/README.md. */
export function settingsTable(): string {
  const rows = describeSettable().map(
    ({ name, placeholder, description, default: value }) =>
      `| \`${name}\` | ${placeholder} | ${value === '' ? '' : `\`${value}\``} | ${description.replaceAll('|', '\\|')} |`,
  )
  return [
    '| setting | unit | default | what it does and trades |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
