import { describe } from 'vitest'
import { describeAccess } from './access.ts'
import { describeAdmissionPolicies } from './admission-policies/index.ts'
import { describeAdmissionWebhooks } from './admission-webhooks/index.ts'
import { describeApiServices } from './api-services/index.ts'
import { describeApplyToCustomResources } from './apply-custom-resources.ts'
import { describeCertificateRequests } from './certificate-requests.ts'
import { describeClientNode } from './client-node.ts'
import { describeConcurrency } from './concurrency.ts'
import { describeContinueTokens } from './continue-tokens.ts'
import { describeCustomResources } from './custom-resources/index.ts'
import { describeEndpoints } from './endpoints.ts'
import { describeErrors } from './errors.ts'
import { describeEvents } from './events.ts'
import { describeFlowControl } from './flow-control/index.ts'
import { describeLists } from './lists.ts'
import { describeMultiClusterServices } from './multi-cluster-services.ts'
import { describeNamesInPaths } from './names-in-paths.ts'
import { describeNodes } from './nodes.ts'
import { describeObjects } from './objects.ts'
import { describeOpenApi } from './open-api.ts'
import { describePodSpecs } from './pod-specs.ts'
import { describePods } from './pods.ts'
import { describeProtobuf } from './protobuf.ts'
import { describeRepresentations } from './representations.ts'
import { describeRequestBodies } from './request-bodies.ts'
import { describeRequestOptions } from './request-options.ts'
import { describeResourceQuotas } from './resource-quotas.ts'
import { describeSelectors } from './selectors.ts'
import { describeServerPaths } from './server-paths.ts'
import { describeServerSideApply } from './server-side-apply.ts'
import { describeServiceAddresses } from './service-addresses.ts'
import { describeServicePorts } from './service-ports.ts'
import { type ServerUnderTest, useServer } from './subject.ts'
import { describeWatches } from './watches.ts'
import { describeYamlBodies } from './yaml-bodies.ts'

/**
 * Describes what Sliceflow relies on in an API server: the same suite for the real one and the embedded one.
 */
export function describeApiServer(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(name, () => {
    const subject = useServer(start)
    describeObjects(subject)
    describeConcurrency(subject)
    describeClientNode(subject)
    describeErrors(subject)
    describeRequestOptions(subject)
    describeRequestBodies(subject)
    describeNamesInPaths(subject)
    describeLists(subject)
    describeContinueTokens(subject)
    describeSelectors(subject)
    describeServerSideApply(subject)
    describeApplyToCustomResources(subject)
    describeAdmissionWebhooks(subject)
    describeAdmissionPolicies(subject)
    describeYamlBodies(subject)
    describeWatches(subject)
    describeRepresentations(subject)
    describeProtobuf(subject)
    describeServiceAddresses(subject)
    describeServicePorts(subject)
    describeEndpoints(subject)
    describePods(subject)
    describePodSpecs(subject)
    describeNodes(subject)
    describeEvents(subject)
    describeFlowControl(subject)
    describeResourceQuotas(subject)
    describeCertificateRequests(subject)
    describeOpenApi(subject)
    describeServerPaths(subject)
    describeAccess(subject)
    describeCustomResources(subject)
    describeMultiClusterServices(subject)
    describeApiServices(subject)
  })
}
