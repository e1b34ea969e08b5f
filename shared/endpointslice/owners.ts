import { SERVICE_OWNER, SliceOwner } from './slice-owner.ts'
import { LABEL_ENDPOINT_SELECTOR_NAME, LABEL_SERVICE_NAME } from './well-known.ts'

/**
 * The owner of an EndpointSelector's slices (KEP-6116). A slice that also has the label of a Service is the
 * Service's, which may carry any label.
 */
export const ENDPOINT_SELECTOR_OWNER: SliceOwner = new SliceOwner({
  apiVersion: 'discovery.k8s.io/v1alpha1',
  kind: 'EndpointSelector',
  nameLabel: LABEL_ENDPOINT_SELECTOR_NAME,
  isController: true,
  absentLabel: LABEL_SERVICE_NAME,
  // CoreDNS would answer reverse look-ups of such a hostname with an empty label where the Service is.
  rules: { publishesHostnames: false, keepsPlaceholder: false },
})

/** The kinds of owners whose slices `plan` makes by itself; others are given as `PlanOptions.owner`. */
export const OWNERS: readonly SliceOwner[] = [SERVICE_OWNER, ENDPOINT_SELECTOR_OWNER]
