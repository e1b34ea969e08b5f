import { describeIn, type Subject } from '../subject.ts'
import { describeDelegation } from './delegation.ts'
import { describeLocalApiServices } from './local.ts'
import { describeMergedDiscovery } from './merged-discovery.ts'
import { describeOutages } from './outages.ts'
import { useScene } from './scene.ts'
import { describeStackedControlPlanes } from './stacked.ts'
import { describeUpgrades } from './upgrades.ts'
import { describeApiServiceValidation } from './validation.ts'

/** Describes APIServices: those of the server itself, and those of other servers. */
export function describeApiServices(subject: Subject): void {
  describeIn(subject, 'api-services', (place) => {
    describeLocalApiServices(place)
    describeApiServiceValidation(place)
    describeStackedControlPlanes(place)
    const scene = useScene(place)
    describeDelegation(scene)
    describeUpgrades(subject)
    describeMergedDiscovery(scene)
    describeOutages(scene)
  })
}
