import { FAR, type Row, row } from './row.ts'

const GROUP = 'client.authentication.k8s.io'
const answer = (status: object, version = 'v1'): string =>
  `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info.json"\ncat <<E\n${JSON.stringify({ apiVersion: `${GROUP}/${version}`, kind: 'ExecCredential', status })}\nE\n`
const EXEC = { apiVersion: `${GROUP}/v1`, command: './plugin', interactiveMode: 'Never' }
const TOKEN = answer({ token: 'secret-plugin' })
const exec = (title: string, ends: Row['ends'], more: object, plugin = TOKEN): Row =>
  row(`ExecConfig.${title}`, ends, () => ({ user: { exec: { ...EXEC, ...more } }, files: { plugin } }))
/** Rows of a plugin that would fail, beside other credentials. */
const beside = (title: string, ends: Row['ends'], user: object): Row =>
  row(`ExecConfig.command: beside ${title}`, ends, () => ({
    user: { ...user, exec: EXEC },
    files: { plugin: '#!/bin/sh\nexit 1\n' },
  }))

export const EXEC_ROWS: readonly Row[] = [
  exec('command: relative to the kubeconfig', 'reached', {}),
  exec('command: not there', 'refused', { command: './missing', installHint: 'brew install it' }),
  exec('command: missing', 'refused', { command: null }),
  exec('command: fails', 'refused', {}, '#!/bin/sh\necho "log in first" >&2; exit 3\n'),
  row('ExecConfig.command: in PATH', 'reached', (_, folder) => ({
    user: { exec: { ...EXEC, command: 'plugin' } },
    files: { 'bin/plugin': TOKEN },
    env: { PATH: `${folder}/bin:/usr/bin:/bin` },
  })),
  row('ExecConfig.command: in our PATH, and not in that of its env', 'reached', (_, folder) => ({
    user: { exec: { ...EXEC, command: 'plugin', env: [{ name: 'PATH', value: '/usr/bin:/bin' }] } },
    files: { 'bin/plugin': TOKEN },
    env: { PATH: `${folder}/bin:/usr/bin:/bin` },
  })),
  exec('args: two', 'reached', { args: ['secret', 'args'] }, answer({ token: '$1-$2' })),
  exec(
    'env: beside ours',
    'reached',
    { env: [{ name: 'WHO', value: 'secret-env' }] },
    answer({ token: '$WHO' }),
  ),
  exec('env: one without a name', 'refused', { env: [{ value: 'x' }] }),
  exec(
    'apiVersion: v1beta1, which needs no interactiveMode',
    'reached',
    { apiVersion: `${GROUP}/v1beta1`, interactiveMode: null },
    answer({ token: 'secret-beta' }, 'v1beta1'),
  ),
  exec(
    'apiVersion: v1alpha1',
    'refused',
    { apiVersion: `${GROUP}/v1alpha1` },
    answer({ token: 'secret-1' }, 'v1alpha1'),
  ),
  exec('apiVersion: missing', 'refused', { apiVersion: null }),
  exec('apiVersion: another one than the plugin’s', 'refused', {}, answer({ token: 'secret-1' }, 'v1beta1')),
  exec('interactiveMode: missing', 'refused', { interactiveMode: null }),
  exec('interactiveMode: IfAvailable', 'reached', { interactiveMode: 'IfAvailable' }),
  exec('interactiveMode: Always, and nobody there', 'refused', { interactiveMode: 'Always' }),
  exec('interactiveMode: unknown', 'refused', { interactiveMode: 'Sometimes' }),
  exec('installHint: of a plugin that is there', 'reached', { installHint: 'brew install it' }),
  exec('provideClusterInfo: true', 'reached', { provideClusterInfo: true }),
  row('ExecConfig.provideClusterInfo: with all that a cluster has', 'reached', ({ a, proxies }) => ({
    cluster: {
      server: FAR,
      'tls-server-name': 'localhost',
      'certificate-authority-data': null,
      'certificate-authority': 'ca.crt',
      'proxy-url': `http://127.0.0.1:${proxies.http.port}`,
      'disable-compression': true,
      extensions: [{ name: `${GROUP}/exec`, extension: { audience: 'me', list: [1] } }],
    },
    user: { exec: { ...EXEC, provideClusterInfo: true } },
    files: { plugin: TOKEN, 'ca.crt': a.authority.certificate },
  })),
  row('AuthInfo.exec: that answers with a certificate', 'reached', ({ client }) => ({
    user: { exec: EXEC },
    files: { plugin: answer({ clientCertificateData: client.certificate, clientKeyData: client.key }) },
  })),
  row('AuthInfo.exec: that answers with a certificate and no key', 'refused', ({ client }) => ({
    user: { exec: EXEC },
    files: { plugin: answer({ token: 'secret-1', clientCertificateData: client.certificate }) },
  })),
  exec('command: answers with nothing', 'refused', {}, answer({})),
  exec('command: answers with no JSON', 'refused', {}, '#!/bin/sh\necho secret-1\n'),
  exec(
    'command: answers with a token that has expired',
    'reached',
    {},
    answer({ token: 'secret-old', expirationTimestamp: '2020-01-01T00:00:00Z' }),
  ),
  beside('a token, which goes first', 'reached', { token: 'secret-1' }),
  beside('a password, which goes first', 'reached', { username: 'me', password: 'secret-1' }),
  beside('an auth-provider', 'refused', { 'auth-provider': { name: 'oidc' } }),
]
