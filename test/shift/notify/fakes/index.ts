/** A fake of each kind of sink, by the word of its kind: the contract says which one is missing. */
export { fake as eventBridge } from './event-bridge';
export { fake as kubernetesEvents } from './kubernetes-events';
export { fake as loadBalancerTags } from './load-balancer-tags';
export { fake as openTelemetry } from './open-telemetry';
export { fake as prometheus } from './prometheus';
export { fake as pushgateway } from './pushgateway';
export { fake as slack } from './slack';
export { fake as sns } from './sns';
export { fake as teams } from './teams';
export { fake as webhook } from './webhook';
