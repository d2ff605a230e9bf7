export * from './aws-load-balancer-controller';
export * from './permissions';
export type { LoadBalancerControllerManages } from './values';
