/** Projects whose annotations may select the pods of a Service. */
export const SELECTOR_ALIASES = ['danm', 'calico'] as const
export type SelectorAlias = (typeof SELECTOR_ALIASES)[number]

/** Value of the setting `selectorAliases` for none. */
export const NO_ALIASES = 'none'

const listOf = (value: string): string[] => value.split(',').map((item) => item.trim())
const isAlias = (item: string): item is SelectorAlias => SELECTOR_ALIASES.some((alias) => alias === item)

/** Returns why a value of the setting cannot be used, or `undefined` if it can. */
export function selectorAliasesProblem(value: string): string | undefined {
  if (value === NO_ALIASES) return undefined
  const unknown = listOf(value).find((item) => !isAlias(item))
  return unknown === undefined
    ? undefined
    : `"${unknown}" is not one of ${SELECTOR_ALIASES.join(', ')}, or ${NO_ALIASES} alone`
}

/** @param value of the setting, already checked; default: none */
export const selectorAliasesOf = (value = NO_ALIASES): readonly SelectorAlias[] =>
  listOf(value).filter(isAlias)
