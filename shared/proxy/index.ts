export { awsClientOptions } from './aws-client-options.ts'
export { environmentProxy } from './environment-proxy.ts'
export { nameOfProxy, proxyUrl } from './proxy-url.ts'
