const selector = {
  type: 'object',
  properties: { matchLabels: { type: 'object', additionalProperties: { type: 'string' } } },
}
const endpoint = {
  type: 'object',
  properties: {
    port: { type: 'string' },
    path: { type: 'string' },
    interval: {
      type: 'string',
      pattern: '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
    },
  },
}

/** The Prometheus operator's kind with those of its fields that we use; kubectl refuses all others. */
export const SERVICE_MONITORS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'servicemonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: { plural: 'servicemonitors', singular: 'servicemonitor', kind: 'ServiceMonitor' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['endpoints', 'selector'],
                properties: { selector, endpoints: { type: 'array', items: endpoint } },
              },
            },
          },
        },
      },
    ],
  },
}
