import { FAR, type Row, row } from './row.ts'
import type { Scene } from './scene.ts'

/** Rows of the proxies that the environment names: does the server's connection go through one? */
const through = (
  title: string,
  ends: Row['ends'],
  env: (scene: Scene) => Record<string, string>,
  server: (scene: Scene) => string = () => FAR,
): Row => row(title, ends, (scene) => ({ cluster: { server: server(scene) }, env: env(scene) }))
const http = ({ proxies }: Scene): string => `http://127.0.0.1:${proxies.http.port}`
const noProxy = (value: string, ends: Row['ends'], server?: (scene: Scene) => string): Row =>
  through(
    `NO_PROXY: ${value} (${ends})`,
    ends,
    (scene) => ({ HTTPS_PROXY: http(scene), NO_PROXY: value }),
    server,
  )
const ANY_ADDRESS = ({ a }: Scene): string => `https://0.0.0.0:${a.port}`

export const PROXY_ROWS: readonly Row[] = [
  through('HTTPS_PROXY: http', 'reached', (scene) => ({ HTTPS_PROXY: http(scene) })),
  through('HTTPS_PROXY: in small letters', 'reached', (scene) => ({ https_proxy: http(scene) })),
  through('HTTPS_PROXY: both, of which the capitals count', 'reached', (scene) => ({
    HTTPS_PROXY: http(scene),
    https_proxy: `http://127.0.0.1:${scene.deadPort}`,
  })),
  through('HTTPS_PROXY: without a scheme', 'reached', ({ proxies }) => ({
    HTTPS_PROXY: `127.0.0.1:${proxies.http.port}`,
  })),
  through('HTTPS_PROXY: https', 'reached', ({ proxies }) => ({
    HTTPS_PROXY: `https://localhost:${proxies.https.port}`,
  })),
  through('HTTPS_PROXY: socks5', 'reached', ({ proxies }) => ({
    HTTPS_PROXY: `socks5://127.0.0.1:${proxies.socks5.port}`,
  })),
  through('HTTPS_PROXY: socks5h', 'reached', ({ proxies }) => ({
    HTTPS_PROXY: `socks5h://127.0.0.1:${proxies.socks5.port}`,
  })),
  through('HTTPS_PROXY: dead', 'refused', ({ deadPort }) => ({
    HTTPS_PROXY: `http://127.0.0.1:${deadPort}`,
  })),
  through(
    'HTTPS_PROXY: for a server on loopback: not used',
    'reached',
    (scene) => ({ HTTPS_PROXY: http(scene) }),
    ({ a }) => `https://127.0.0.1:${a.port}`,
  ),
  through(
    'HTTPS_PROXY: for localhost: not used',
    'reached',
    (scene) => ({ HTTPS_PROXY: http(scene) }),
    ({ a }) => `https://localhost:${a.port}`,
  ),
  through('HTTP_PROXY: alone: not used for https', 'refused', (scene) => ({ HTTP_PROXY: http(scene) })),
  through('ALL_PROXY: alone: Go does not know it', 'refused', (scene) => ({ ALL_PROXY: http(scene) })),
  row('HTTPS_PROXY: beside a proxy-url, which counts', 'reached', (scene) => ({
    cluster: { server: FAR, 'proxy-url': `socks5://127.0.0.1:${scene.proxies.socks5.port}` },
    env: { HTTPS_PROXY: http(scene), NO_PROXY: '*' },
  })),
  noProxy('*', 'refused'),
  noProxy('corp.example', 'refused'),
  noProxy('.corp.example', 'refused'),
  noProxy('*.corp.example', 'refused'),
  noProxy('API.corp.example', 'refused'),
  noProxy('.api.corp.example', 'reached'),
  noProxy('p.example', 'reached'),
  noProxy('api.corp.example:6443', 'refused'),
  noProxy('api.corp.example:443', 'reached'),
  noProxy('other.example, corp.example', 'refused'),
  noProxy('other.example corp.example', 'reached'),
  noProxy('10.0.0.0/8', 'reached'),
  noProxy('0.0.0.0/8', 'reached', ANY_ADDRESS),
  noProxy('10.0.0.0/8,::/0', 'reached', ANY_ADDRESS),
  noProxy('0.0.0.0', 'reached', ANY_ADDRESS),
  noProxy('0.0.0.0:1', 'reached', ANY_ADDRESS),
  noProxy('0.0.0', 'reached', ANY_ADDRESS),
  through('no_proxy: in small letters', 'refused', (scene) => ({
    HTTPS_PROXY: http(scene),
    no_proxy: 'corp.example',
  })),
]
