export { listenerRules, listeners } from './load-balancer';
export { weightedRecords } from './records';
