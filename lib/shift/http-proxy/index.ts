export { proxyAccess, proxyUrl } from './access';
export type { ProxyAccess } from './access';
export { NotAnAnswer, readCounts, readWeights } from './documents';
export type { PeriodCount, ProxyCounts } from './documents';
