import { LABEL_MANAGED_BY } from '../../endpointslice/index.ts'
import { ENDPOINT_SELECTORS, SERVICES } from '../../kubernetes/index.ts'
import type { SliceState } from '../compare-with-desired.ts'
import type { Change } from '../key-queue/change.ts'
import { ENDPOINT_SELECTOR, type OwnerText, ownerText, parseOwnerText } from '../key-queue/key.ts'
import type { OwnerTables } from '../tables/owner-table.ts'
import type { ServiceTable } from '../tables/service-table.ts'
import { keyChange, type Tables } from './tables.ts'

/**
 * Which EndpointSelectors are to be written: those that stand for Services (the setting `serviceProjection`),
 * and those that did. The key is that of the EndpointSelector of a Service's name. A cluster that has not
 * listed any, as it does not serve them, has no keys.
 */
export class Projections {
  readonly #tables: Pick<Tables, 'cluster'>
  readonly #services: ServiceTable
  readonly #selectors: ServiceTable
  #isServed = false

  constructor(tables: Pick<Tables, 'cluster'>, owners: Pick<OwnerTables, 'of'>) {
    this.#tables = tables
    this.#services = owners.of(SERVICES)
    this.#selectors = owners.of(ENDPOINT_SELECTORS)
  }

  /**
   * Returns `wrong` for an EndpointSelector that is to be written or deleted as a projection; undefined where
   * its slices are all that there is to compare. Where another object of its name keeps one from being made,
   * nothing can be written.
   * @param text of the owner; a Service has no state of its own here
   * @param managedBy of those that go once no Service is projected to them
   */
  state(text: string, managedBy: string): Extract<SliceState, 'wrong'> | undefined {
    if (text !== selectorText(text)) return undefined
    const { wanted, found } = this.#pair(text)
    if (!this.#isServed || wanted === found?.projection) return undefined
    if (wanted !== undefined) return found && found.projection === undefined ? undefined : 'wrong'
    return found?.service.metadata?.labels?.[LABEL_MANAGED_BY] === managedBy ? 'wrong' : undefined
  }

  /** Returns the key that a change of a Service, or of an EndpointSelector, concerns. */
  changes(text: string): Change[] {
    const key = selectorText(text)
    const { wanted, found } = this.#pair(key)
    return this.#isServed && wanted !== found?.projection ? [keyChange(this.#tables, key)] : []
  }

  /** Notes that the EndpointSelectors were listed; returns the keys of those that are to be written. */
  listed(): Change[] {
    this.#isServed = true
    return [...this.keys()].flatMap((key) => this.changes(key))
  }

  /** Returns the text of each projection that is to be, or is there. */
  keys(): Set<OwnerText> {
    const keys = new Set<OwnerText>()
    for (const table of this.#isServed ? [this.#services, this.#selectors] : [])
      for (const [key, { projection }] of table.entries())
        if (projection !== undefined) keys.add(selectorText(key))
    return keys
  }

  /** Returns what is remembered of each, for the digest of its key. */
  *facts(): Iterable<readonly [OwnerText, string]> {
    for (const key of this.keys()) {
      const { wanted, found } = this.#pair(key)
      yield [key, `projection ${wanted} ${found?.digest}`]
    }
  }

  #pair(text: string) {
    const { ownerKind: _, ...name } = parseOwnerText(text)
    return {
      wanted: this.#services.get(ownerText(name))?.projection,
      found: this.#selectors.get(text),
    }
  }
}

const selectorText = (text: string): OwnerText =>
  ownerText({ ...parseOwnerText(text), ownerKind: ENDPOINT_SELECTOR })
