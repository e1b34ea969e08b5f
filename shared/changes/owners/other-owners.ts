import {
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSelector,
  serviceOfSelector,
} from '../../endpointslice/index.ts'
import { ENDPOINT_SELECTORS, NATIVE_ENDPOINT_SELECTORS } from '../../kubernetes/index.ts'
import { isOwnAnnotation } from '../sources/annotations.ts'
import type { OtherOwner } from './other-owner.ts'

/** Pods whose slices are published without a Service (KEP-6116). */
const ENDPOINT_SELECTOR_KIND = {
  owner: ENDPOINT_SELECTOR_OWNER,
  enabledBy: 'endpointSelectors',
  resources: { nativeEndpointSelectors: NATIVE_ENDPOINT_SELECTORS, endpointSelectors: ENDPOINT_SELECTORS },
  kinds: ['foreignSlices'],
  asService: (selector: EndpointSelector) => serviceOfSelector(selector, isOwnAnnotation),
} as const satisfies OtherOwner

/** Every kind of owners of slices beside Service. A new one only needs an entry. */
export const OTHER_OWNERS: readonly OtherOwner[] = [ENDPOINT_SELECTOR_KIND]

/** Names of the kinds that a relay watches of them. */
export type OtherOwnerKindName = keyof (typeof ENDPOINT_SELECTOR_KIND)['resources']
