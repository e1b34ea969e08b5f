import { base64, pair, type Row, row } from './row.ts'
import type { Scene } from './scene.ts'

const user = (title: string, ends: Row['ends'], make: (scene: Scene) => object, files = {}): Row =>
  row(`AuthInfo.${title}`, ends, (scene) => ({ user: make(scene), files }))

export const USER_ROWS: readonly Row[] = [
  user('token: alone', 'reached', () => ({ token: 'secret-1' })),
  user('token: a number', 'refused', () => ({ token: 12345 })),
  user('token: with a line end', 'refused', () => ({ token: 'secret-1\n' })),
  user('token: refused by the server', 'refused', () => ({ token: 'secret-refused' })),
  user('tokenFile: with a line end', 'reached', () => ({ tokenFile: 'token' }), { token: 'secret-file\n' }),
  user('tokenFile: beside a stale token', 'reached', () => ({ token: 'secret-1', tokenFile: 'token' }), {
    token: 'secret-file',
  }),
  user('tokenFile: not there, beside a token', 'reached', () => ({ token: 'secret-1', tokenFile: 'token' })),
  user('tokenFile: empty, beside a token', 'reached', () => ({ token: 'secret-1', tokenFile: 'token' }), {
    token: '\n',
  }),
  user('tokenFile: not there', 'refused', () => ({ tokenFile: 'token' })),
  user('tokenFile: empty', 'refused', () => ({ tokenFile: 'token' }), { token: '' }),
  user('username: with a password', 'reached', () => ({ username: 'jürgen', password: 'secret:1' })),
  user('username: beside a token', 'refused', () => ({
    username: 'me',
    password: 'secret-1',
    token: 'secret-2',
  })),
  user(
    'username: beside a tokenFile',
    'refused',
    () => ({ username: 'me', password: 'secret-1', tokenFile: 'token' }),
    { token: 'secret-2' },
  ),
  user('password: empty', 'reached', () => ({ username: 'me' })),
  user('client-certificate-data: with its key', 'reached', pair),
  user('client-certificate-data: beside a token', 'reached', (scene) => ({
    ...pair(scene),
    token: 'secret-1',
  })),
  user('client-certificate-data: without a key', 'refused', (scene) => ({
    ...pair(scene),
    'client-key-data': null,
  })),
  user('client-key-data: of another certificate', 'refused', (scene) => ({
    ...pair(scene),
    'client-key-data': base64(scene.otherClient.key),
  })),
  user('client-key-data: without a certificate', 'reached', (scene) => ({
    ...pair(scene),
    'client-certificate-data': null,
    token: 'secret-1',
  })),
  row('AuthInfo.client-certificate: with its key, beside the kubeconfig', 'reached', ({ client }) => ({
    user: { 'client-certificate': 'me.crt', 'client-key': './me.key' },
    files: { 'me.crt': client.certificate, 'me.key': client.key },
  })),
  row('AuthInfo.client-certificate: with the data of its key', 'reached', (scene) => ({
    user: { ...pair(scene), 'client-certificate-data': null, 'client-certificate': 'me.crt' },
    files: { 'me.crt': scene.client.certificate },
  })),
  row('AuthInfo.client-certificate: beside its data', 'refused', (scene) => ({
    user: { ...pair(scene), 'client-certificate': 'me.crt' },
    files: { 'me.crt': scene.client.certificate },
  })),
  row('AuthInfo.client-key: beside its data', 'refused', (scene) => ({
    user: { ...pair(scene), 'client-key': 'me.key' },
    files: { 'me.key': scene.client.key },
  })),
  user('client-key: a file that is not there', 'refused', (scene) => ({
    ...pair(scene),
    'client-key-data': null,
    'client-key': 'me.key',
  })),
  user('as: alone', 'reached', () => ({ token: 'secret-1', as: 'jürgen' })),
  user('as-uid: with as', 'reached', () => ({ token: 'secret-1', as: 'jane', 'as-uid': 'u-1' })),
  user('as-uid: without as', 'refused', () => ({ token: 'secret-1', 'as-uid': 'u-1' })),
  user('as-groups: with as', 'reached', () => ({
    token: 'secret-1',
    as: 'jane',
    'as-groups': ['b', 'a', 'system:masters'],
  })),
  user('as-groups: without as', 'refused', () => ({ token: 'secret-1', 'as-groups': ['a'] })),
  user('as-groups: empty, without as', 'reached', () => ({ token: 'secret-1', 'as-groups': [] })),
  user('as-user-extra: with as', 'reached', () => ({
    token: 'secret-1',
    as: 'jane',
    'as-user-extra': { 'acme.com/Project': ['one', 'two'], 'per%cent': ['ü'] },
  })),
  user('as-user-extra: without as', 'refused', () => ({ token: 'secret-1', 'as-user-extra': { a: ['b'] } })),
  user('auth-provider: gcp', 'refused', () => ({ 'auth-provider': { name: 'gcp' } })),
  user('auth-provider: azure', 'refused', () => ({
    'auth-provider': { name: 'azure', config: { tenant: 't' } },
  })),
  user('auth-provider: unknown', 'refused', () => ({ 'auth-provider': { name: 'acme' } })),
  user('auth-provider: gcp, beside a token', 'refused', () => ({
    token: 'secret-1',
    'auth-provider': { name: 'gcp' },
  })),
  user('auth-provider: oidc with a token that holds', 'reached', () => oidc(4_000_000_000)),
  user('auth-provider: oidc with an expired token', 'refused', () => oidc(1_000_000_000)),
  user('extensions: of others', 'reached', () => ({
    token: 'secret-1',
    extensions: [{ name: 'x', extension: { y: 1 } }],
  })),
]

const oidc = (exp: number): object => ({
  'auth-provider': {
    name: 'oidc',
    config: {
      'idp-issuer-url': 'https://127.0.0.1:1',
      'client-id': 'me',
      'id-token': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.c2ln`,
    },
  },
})
