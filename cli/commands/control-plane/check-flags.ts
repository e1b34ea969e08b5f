import type { Command, Option } from 'commander'
import { UsageError } from '../../usage.ts'
import { GROUPS } from './command.ts'

/** Flags of `--only controllers`, which say nothing to a server. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set(Object.keys(GROUPS.controllers))
/** Flags that say something only with another one. */
const NEEDS: readonly (readonly [flag: string, needed: string])[] = [
  ['requestheaderAllowedNames', 'requestheaderClientCaFile'],
  ['oidcUsernameClaim', 'oidcIssuerUrl'],
  ['oidcGroupsClaim', 'oidcIssuerUrl'],
]

/** Refuses flags that would do nothing, alone or together. @throws UsageError */
export function checkControlPlaneFlags(command: Command): void {
  const given = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  for (const option of given) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' && value.trim() === '')
      throw new UsageError(`${option.long} is empty; give it a value, or leave it out`)
  }
  refuseOtherPart(given, command.getOptionValue('only') === 'controllers')
  const longOf = (name: string): string =>
    command.options.find((option) => option.attributeName() === name)?.long ?? name
  for (const [name, needed] of NEEDS) {
    const isGiven = given.some((option) => option.attributeName() === name)
    if (isGiven && command.getOptionValue(needed) === undefined)
      throw new UsageError(`${longOf(name)} needs ${longOf(needed)}`)
  }
}

function refuseOtherPart(given: readonly Option[], onlyControllers: boolean): void {
  const others = given.filter(
    (option) =>
      option.attributeName() !== 'only' && OF_CONTROLLERS.has(option.attributeName()) !== onlyControllers,
  )
  if (others.length === 0) return
  const names = others.map(({ long }) => long).join(', ')
  const verb = others.length === 1 ? 'goes' : 'go'
  throw new UsageError(
    onlyControllers
      ? `${names} ${verb} with a server, and --only controllers runs none: leave one of them out`
      : `${names} ${verb} with --only controllers`,
  )
}
