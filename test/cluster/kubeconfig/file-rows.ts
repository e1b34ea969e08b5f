import { base64, type Row, row } from './row.ts'

export const CONTEXT_ROWS: readonly Row[] = [
  row('Context.cluster: not there', 'refused', () => ({ context: { cluster: 'missing' } })),
  row('Context.user: not there', 'refused', () => ({ context: { user: 'missing' } })),
  row('Context.namespace: given', 'reached', () => ({ context: { namespace: 'shop' } })),
  row('Context.extensions: of others', 'reached', () => ({
    context: { extensions: [{ name: 'x', extension: {} }] },
  })),
]

export const FILE_ROWS: readonly Row[] = [
  row('Config: as JSON with tabs and unknown fields', 'reached', () => ({
    context: { unknown: 1 },
    replace: [['kind: Config', 'kind: Config\npreferences: {}\nmore: [1]']],
  })),
  row('Config: of another kind', 'refused', () => ({ replace: [['kind: Config', 'kind: Secret']] })),
  row('Config: without kind and apiVersion', 'reached', () => ({
    replace: [
      ['kind: Config\n', ''],
      ['apiVersion: v1\n', ''],
    ],
  })),
  row('Config: without a current-context', 'refused', () => ({
    replace: [['current-context: c', 'current-context: ""']],
  })),
  row('Config: two users of one name', 'refused', () => ({
    replace: [['users:\n', 'users:\n  - name: u\n    user: {token: secret-first}\n']],
  })),
  row('Config: that is no YAML', 'refused', () => ({ replace: [['users:', 'users: [']] })),
]

const named = (name: string, port: number, authority: string, token: string): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    {
      name,
      cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(authority) },
    },
  ],
  users: [{ name: 'u', user: { token } }],
  contexts: [{ name: 'b', context: { cluster: name, user: 'u' } }],
  'current-context': 'b',
})
const lists = (name: string, listed: string, ends: Row['ends'] = 'reached'): Row =>
  row(`KUBECONFIG: ${name}`, ends, ({ b }, folder) => ({
    env: { KUBECONFIG: listed.replaceAll('./', `${folder}/`) },
    others: { other: named('c-b', b.port, b.authority.certificate, 'secret-b') },
    files: { broken: 'clusters: [' },
  }))

export const ENVIRONMENT_ROWS: readonly Row[] = [
  lists('of one file', './config'),
  lists('of two, the first of which decides', './config:./other'),
  lists('of two, in the other order', './other:./config'),
  lists('with one that is missing, and an empty one', './missing::./other'),
  lists('with one that is broken', './config:./broken', 'refused'),
  row('HOME: with .kube/config', 'reached', ({ b }) => ({
    others: { '.kube/config': named('c-b', b.port, b.authority.certificate, 'secret-b') },
  })),
  row('SSL_CERT_FILE: with the authority, where the cluster names none', 'reached', ({ a }, folder) => ({
    cluster: { 'certificate-authority-data': null },
    files: { 'system.crt': a.authority.certificate },
    env: { SSL_CERT_FILE: `${folder}/system.crt` },
  })),
]
