export { listenerRuleSplits, listeners } from './load-balancer';
export { weightedRecords } from './records';
