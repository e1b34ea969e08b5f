const SCHEMES: readonly string[] = ['http:', 'https:', 'socks5:']

/** Reads a proxy-url. @throws Error that does not quote a password in it */
export function proxyUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !SCHEMES.includes(url.protocol) || url.hostname === '')
    throw new Error('its proxy-url must be a URL with http, https or socks5, such as socks5://127.0.0.1:1080')
  return url
}

/** Names a proxy without its password. */
export const nameOfProxy = (proxy: URL): string => `${proxy.protocol}//${proxy.host}`
