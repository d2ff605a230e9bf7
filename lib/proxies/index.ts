export { environmentProxy } from './environment-proxy';
export { forwarded, proxyAgent } from './proxy-agent';
export type { ProxyAgentOptions } from './proxy-agent';
export { ProxyFailure } from './proxy-failure';
export { byProxy, shownProxy } from './proxy-url';
