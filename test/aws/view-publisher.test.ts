import { randomUUID } from 'node:crypto'
import { CreateEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { DiscoverInstancesCommand, ServiceDiscoveryClient } from '@aws-sdk/client-servicediscovery'
import type { Context, SQSEvent } from 'aws-lambda'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createDeployedViewPublisher } from '../../functions/view-publisher/from-environment.ts'
import { createFakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { encodeMessage } from '../../shared/queue/index.ts'
import { createRawClient } from '../support/raw-client.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'
import { createNamespace, createTable } from './resources.ts'

const SPEC = new URL('../../examples/views/endpoints.yaml', import.meta.url).pathname
const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:a'
const context = { getRemainingTimeInMillis: () => 30_000 } as Context

const message: SQSEvent = {
  Records: [
    {
      messageId: '1',
      receiptHandle: '1',
      body: encodeMessage({ cluster: 'a', namespace: 'default', service: 'web' }),
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1' },
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:views',
    },
  ] as unknown as SQSEvent['Records'],
}

describe.skipIf(emulatorEndpoint === undefined)(`the deployed view publisher on AWS ${HOW_TO_RUN}`, () => {
  it('publishes the views of a Service, and tells a change once', async () => {
    const controlPlane = await createControlPlane({
      authentication: { tokens: { 'a-token': { username: 'sliceflow', groups: [] } } },
    })
    onTestFinished(() => controlPlane.close())
    await controlPlane.listen()
    const admin = createRawClient(controlPlane.kubeconfig)
    onTestFinished(() => admin.close())
    const annotations = { 'dcontroller.io/endpointslice-controller-enabled': '' }
    await admin.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'web', annotations },
      spec: { ports: [{ port: 80 }] },
    })
    await admin.post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    })

    const events = new EventBridgeClient(emulatorConfig)
    const discovery = new ServiceDiscoveryClient({ ...emulatorConfig, disableHostPrefix: true })
    const bus = `views-${randomUUID()}`
    await events.send(new CreateEventBusCommand({ Name: bus }))
    const namespace = await createNamespace(discovery)
    const aws = createFakeAws()
    const [{ cluster }] = parse(controlPlane.kubeconfig).clusters
    const access = { server: cluster.server, ca: cluster['certificate-authority-data'], token: 'a-token' }
    aws.secrets.set(SECRET, JSON.stringify(access))
    const log: { readonly msg: string; readonly sink?: string }[] = []
    const handler = await createDeployedViewPublisher({
      environment: {
        SLICEFLOW_CLUSTERS: JSON.stringify([{ name: 'a', kind: 'secret', secretArn: SECRET }]),
        SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL: `${emulatorEndpoint}/123456789012/discover`,
        SLICEFLOW_VIEW_PUBLISHER_DEAD_LETTERS_URL: `${emulatorEndpoint}/123456789012/discover-dead`,
        SLICEFLOW_VIEW_PUBLISHER_TABLE: await createTable(),
        SLICEFLOW_VIEW_PUBLISHER_SPEC: SPEC,
        SLICEFLOW_VIEW_PUBLISHER_EVENT_BUS: bus,
        SLICEFLOW_VIEW_PUBLISHER_CLOUD_MAP_NAMESPACE: namespace.id,
      },
      aws,
      clientOptions: emulatorConfig,
      write: (line) => log.push(JSON.parse(line)),
    })
    expect(await handler(message, context)).toEqual({ batchItemFailures: [] })
    expect(await handler(message, context)).toEqual({ batchItemFailures: [] })
    const published = log.filter(({ msg }) => msg === 'published views')
    expect(published.map(({ sink }) => sink).sort()).toEqual([
      `Cloud Map ${namespace.id}`,
      `event bus ${bus}`,
    ])
    expect(published).toMatchObject([{ deltas: 1, service: 'web' }, { deltas: 1 }])
    const { Instances } = await discovery.send(
      new DiscoverInstancesCommand({ NamespaceName: namespace.name, ServiceName: 'web.default' }),
    )
    expect(Instances?.map(({ Attributes }) => Attributes?.AWS_INSTANCE_IPV4)).toEqual(['10.0.0.1'])
    events.destroy()
    discovery.destroy()
  })
})
