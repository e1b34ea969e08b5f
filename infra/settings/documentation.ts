import { type DeploymentSettingName, describeDeploymentSettings } from './deployment-settings.ts'

/** The deployment sets these for each relay. */
const NOT_TO_BE_SET: readonly DeploymentSettingName[] = ['shard', 'stateDir']

/** The table of settings in infra/README.md. */
export function settingsTable(): string {
  const rows = describeDeploymentSettings()
    .filter(({ name }) => !NOT_TO_BE_SET.includes(name))
    .map(
      ({ name, placeholder, description, default: value }) =>
        `| \`${name}\` | ${placeholder} | ${value === '' ? '' : `\`${value}\``} | ${description.replaceAll('|', '\\|')} |`,
    )
  return [
    '| setting | unit | default | what it does and trades |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
