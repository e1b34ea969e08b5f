import { base64, FAR, type Row, row } from './row.ts'
import type { Scene } from './scene.ts'

const cluster = (title: string, ends: Row['ends'], make: (scene: Scene) => object): Row =>
  row(`Cluster.${title}`, ends, (scene) => ({ cluster: make(scene) }))

export const CLUSTER_ROWS: readonly Row[] = [
  cluster('server: by address', 'reached', () => ({})),
  cluster('server: below a path', 'reached', ({ a }) => ({
    server: `https://127.0.0.1:${a.port}/k8s/clusters/c-1`,
  })),
  cluster('server: below a path with a slash', 'reached', ({ a }) => ({
    server: `https://127.0.0.1:${a.port}/k8s/`,
  })),
  cluster('server: without a scheme', 'refused', ({ a }) => ({ server: `127.0.0.1:${a.port}` })),
  cluster('server: missing', 'refused', () => ({ server: null })),
  cluster('tls-server-name: another name of the certificate', 'reached', () => ({
    'tls-server-name': 'api.corp.example',
  })),
  cluster('tls-server-name: no name of the certificate', 'refused', () => ({
    'tls-server-name': 'other.example',
  })),
  cluster('insecure-skip-tls-verify: without an authority', 'reached', () => ({
    'certificate-authority-data': null,
    'insecure-skip-tls-verify': true,
  })),
  cluster('insecure-skip-tls-verify: beside an authority', 'refused', () => ({
    'insecure-skip-tls-verify': true,
  })),
  row('Cluster.insecure-skip-tls-verify: as yes, which YAML 1.1 has for true', 'reached', () => ({
    cluster: { 'certificate-authority-data': null, 'insecure-skip-tls-verify': 'TRUE' },
    replace: [['insecure-skip-tls-verify: "TRUE"', 'insecure-skip-tls-verify: yes']],
  })),
  cluster('insecure-skip-tls-verify: as text', 'refused', () => ({
    'certificate-authority-data': null,
    'insecure-skip-tls-verify': 'true',
  })),
  row('Cluster.certificate-authority: beside the kubeconfig', 'reached', ({ a }) => ({
    cluster: { 'certificate-authority-data': null, 'certificate-authority': 'pki/ca.crt' },
    files: { 'pki/ca.crt': a.authority.certificate },
  })),
  row('Cluster.certificate-authority: beside its data', 'refused', ({ a }) => ({
    cluster: { 'certificate-authority': 'ca.crt' },
    files: { 'ca.crt': a.authority.certificate },
  })),
  cluster('certificate-authority: a file that is not there', 'refused', () => ({
    'certificate-authority-data': null,
    'certificate-authority': 'ca.crt',
  })),
  cluster('certificate-authority: none, and none of the system', 'refused', () => ({
    'certificate-authority-data': null,
  })),
  cluster('certificate-authority-data: another server’s', 'refused', ({ b }) => ({
    'certificate-authority-data': base64(b.authority.certificate),
  })),
  cluster('certificate-authority-data: several', 'reached', ({ a, b }) => ({
    'certificate-authority-data': base64(b.authority.certificate + a.authority.certificate),
  })),
  cluster('certificate-authority-data: no base64', 'refused', () => ({
    'certificate-authority-data': '%%%',
  })),
  cluster('certificate-authority-data: no PEM', 'refused', () => ({
    'certificate-authority-data': base64('text'),
  })),
  cluster('disable-compression: true', 'reached', () => ({ 'disable-compression': true })),
  cluster('extensions: of others', 'reached', () => ({
    extensions: [{ name: 'minikube.sigs.k8s.io', extension: { version: 'v1' } }],
  })),
  ...(['http', 'https', 'socks5'] as const).flatMap((scheme) => [
    cluster(`proxy-url: ${scheme}, which resolves the name`, 'reached', ({ proxies }) => ({
      server: FAR,
      'proxy-url': `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${proxies[scheme].port}`,
    })),
    cluster(`proxy-url: ${scheme}, to an address of IPv6`, 'reached', ({ proxies, a }) => ({
      server: `https://[2001:db8::1]:${a.port}`,
      'tls-server-name': 'localhost',
      'proxy-url': `${scheme}://localhost:${proxies[scheme].port}`,
      'certificate-authority-data': base64(a.authority.certificate),
      ...(scheme === 'https' && { server: `https://[::1]:${a.port}` }),
    })),
  ]),
  cluster('proxy-url: http with a password', 'reached', ({ proxies }) => ({
    server: FAR,
    'proxy-url': `http://me:secret%40proxy@127.0.0.1:${proxies.http.port}`,
  })),
  cluster('proxy-url: socks5 with a password', 'reached', ({ proxies }) => ({
    server: FAR,
    'proxy-url': `socks5://me:secret%40proxy@127.0.0.1:${proxies.socks5.port}`,
  })),
  cluster('proxy-url: to a server on loopback', 'reached', ({ proxies }) => ({
    'proxy-url': `http://127.0.0.1:${proxies.http.port}`,
  })),
  cluster('proxy-url: socks5h', 'refused', ({ proxies }) => ({
    'proxy-url': `socks5h://127.0.0.1:${proxies.socks5.port}`,
  })),
  cluster('proxy-url: ftp', 'refused', ({ proxies }) => ({
    'proxy-url': `ftp://127.0.0.1:${proxies.http.port}`,
  })),
  cluster('proxy-url: without a scheme', 'refused', ({ proxies }) => ({
    'proxy-url': `127.0.0.1:${proxies.http.port}`,
  })),
  cluster('proxy-url: one that is dead', 'refused', ({ deadPort }) => ({
    'proxy-url': `http://127.0.0.1:${deadPort}`,
  })),
  cluster('proxy-url: one that refuses', 'refused', ({ proxies }) => ({
    'proxy-url': `http://127.0.0.1:${proxies.refusing.port}`,
  })),
]
