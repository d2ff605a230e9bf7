export { clustersCheck } from './clusters-check';
export type { ClustersCheckOptions } from './clusters-check';
