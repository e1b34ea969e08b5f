/** Writes the command that deploys these settings; those that are left out stay as they are by default. */
export function deployCommand(
  settings: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  return ['npm run deploy', ...(given.length > 0 ? ['--'] : []), ...given.map(setFlag)].join(' ')
}

const setFlag = ([name, value]: readonly [string, unknown]): string => `--set ${name}=${value}`
