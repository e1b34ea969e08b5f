import { describeSettable } from './deployment-settings.ts'

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
