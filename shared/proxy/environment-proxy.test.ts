import { describe, expect, it } from 'vitest'
import { environmentProxy } from './environment-proxy.ts'

const PROXY = 'http://proxy.corp:3128'
const SERVER = 'https://api.corp.example:6443'
const isProxied = (server: string, noProxy: string): boolean =>
  environmentProxy(new URL(server), { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) !== undefined

describe('the proxy of the environment', () => {
  it.each([
    [{ HTTPS_PROXY: PROXY }, PROXY],
    [{ https_proxy: PROXY }, PROXY],
    [{ HTTPS_PROXY: 'proxy.corp:3128' }, PROXY],
    [{ HTTPS_PROXY: 'socks5://proxy.corp:1080' }, 'socks5://proxy.corp:1080'],
    [{ HTTP_PROXY: PROXY }, undefined],
    [{ HTTPS_PROXY: '', https_proxy: PROXY }, PROXY],
    [{}, undefined],
  ])('of %j is %s', (env, expected) => {
    const found = environmentProxy(new URL(SERVER), env)
    expect(found?.href.replace(/\/$/, '')).toBe(expected)
  })

  it('of a server without TLS is HTTP_PROXY, unless that may be a header of a CGI request', () => {
    const server = new URL('http://api.corp.example')
    expect(environmentProxy(server, { HTTP_PROXY: PROXY })?.host).toBe('proxy.corp:3128')
    expect(environmentProxy(server, { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' })).toBeUndefined()
  })

  it.each([
    ['https://localhost:6443', ''],
    ['https://127.8.8.8:6443', ''],
    ['https://[::1]:6443', ''],
    [SERVER, '*'],
    [SERVER, 'a, CORP.example ,b'],
    [SERVER, 'api.corp.example:6443'],
    ['https://api.corp.example', '.corp.example:443'],
    [SERVER, '*.example'],
    ['https://bücher.example', 'bücher.example'],
    ['https://10.1.2.3:6443', '10.0.0.0/8'],
    ['https://10.1.2.3:6443', '10.1.2.3'],
    ['https://10.1.2.3:6443', '10.1.2.3:6443'],
    ['https://[fd00::1]:6443', 'fd00::/8'],
    ['https://[fd00::1]:6443', 'fd00:0::1'],
    ['https://[fd00::1]:6443', '[fd00::1]:6443'],
  ])('is not used for %s with NO_PROXY %j', (server, noProxy) => {
    expect(isProxied(server, noProxy)).toBe(false)
  })

  it.each([
    [SERVER, ''],
    [SERVER, '.api.corp.example'],
    [SERVER, 'rp.example'],
    [SERVER, 'api.corp.example:443'],
    [SERVER, '0.0.0.0/0,::/0'],
    [SERVER, ':6443,[]:6443'],
    ['https://10.1.2.3:6443', '10.1.2.3:443'],
    ['https://10.1.2.3:6443', '11.0.0.0/8,10.0.0.0/33,fd00::/8,1.2.3'],
    ['https://[fd00::1]:6443', '10.0.0.0/8,fe80::/10,fd00::2'],
  ])('is used for %s with NO_PROXY %j', (server, noProxy) => {
    expect(isProxied(server, noProxy)).toBe(true)
  })
})
