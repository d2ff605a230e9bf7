/** The add-ons of the catalogue: each is a function, and a name for the `requires` of others that is called like it. */
export * from './argo-events';
export * from './argo-rollouts';
export * from './argo-workflows';
export * from './aws-load-balancer-controller';
export * from './cert-manager';
export * from './flagger';
export * from './gateway-api-crds';
